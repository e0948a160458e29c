import Fastify from 'fastify';
import { openPeer } from '../peers/open.ts';
import type { PeerName } from '../peers/peer.ts';
import type { Search } from '../support/searches.ts';

/** Fastify over a peer: the search in, rows and exact total out. Arguments: port, peer, table, folder. */
const [port, name, table, folder] = process.argv.slice(2);
const peer = await openPeer(name as PeerName, table!, folder!);
const app = Fastify({ logger: false });

app.get('/', () => 'ready');
app.post('/v1/find', async (request, reply) => {
  const { total, rows, facets } = await peer.find(request.body as Search);
  void reply.header('content-type', 'application/json; charset=utf-8');
  return `{"results":[${rows.join(',')}],"total":${total}${facets === null ? '' : `,"facets":${JSON.stringify(facets)}`}}`;
});
await app.listen({ port: Number(port), host: '127.0.0.1' });

process.on('SIGTERM', () => {
  void app.close().then(() => { peer.close(); process.exit(); });
});
