import uWS from 'uWebSockets.js';

/** The floor of a stream: one buffer, written again and again while the socket takes it. Arguments: port, bytes of the whole, bytes of the buffer. */
const [port, total, bytes] = process.argv.slice(2).map(Number);
const piece = Buffer.alloc(bytes!, 'x');

uWS.App()
  .get('/', (res) => { res.end('ready'); })
  .any('/*', (res) => {
    let left = total!;
    let live = true;
    res.onAborted(() => { live = false; });
    const pump = (): boolean => {
      if (!live) return true;
      // One cork for as many pieces as are taken: behind the first the library sends each at once. In corks of their own it can lose one.
      res.cork(() => {
        for (let taken = true; taken && left > 0;) {
          const next = left < piece.length ? piece.subarray(0, left) : piece;
          left -= next.length;
          taken = res.write(next);
        }
      });
      if (left === 0) {
        live = false;
        res.cork(() => { res.end(); });
      }
      return true;
    };
    res.onWritable(pump);
    res.writeHeader('content-type', 'application/x-ndjson');
    pump();
  })
  .listen('127.0.0.1', port!, (socket) => { if (socket === false) throw new Error('the port is taken'); });
