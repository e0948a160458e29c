import Fastify from 'fastify';

/** Fastify sending a constant to whoever posts a search. Arguments: port, bytes. */
const [port, bytes] = process.argv.slice(2).map(Number);
const body = Buffer.alloc(bytes!, 'x');
const app = Fastify({ logger: false });

app.get('/', () => 'ready');
app.post('/v1/find', (_, reply) => reply.header('content-type', 'application/json').send(body));
await app.listen({ port: port!, host: '127.0.0.1' });
