import uWS from 'uWebSockets.js';

/** The floor of every HTTP figure: the same server sending a constant of the same size. Arguments: port, bytes. */
const [port, bytes] = process.argv.slice(2).map(Number);
const body = Buffer.alloc(bytes!, 'x');

uWS.App().any('/*', (res) => {
  res.onAborted(() => {});
  res.cork(() => { res.writeHeader('content-type', 'application/json').end(body); });
}).listen('127.0.0.1', port!, (socket) => { if (socket === false) throw new Error('the port is taken'); });
