import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { MessageChannel, Worker } from 'node:worker_threads';
import uWS, { type HttpResponse } from 'uWebSockets.js';
import { makeTripMemory, NearEnd } from '../support/round_trip.ts';
import type { CopyOrder } from './round_trip_thread.ts';

/**
 * The floor of a find over rows that a thread of its own reads: for each request its key and its JSON are read, the thread is asked for a page, and that
 * is sent. Nothing is checked, looked for, counted or logged. Arguments: port, bytes of a page, its rows, files of rows.
 */
const [port, pageBytes, pageRows, ...files] = process.argv.slice(2);
const BODY_BYTES_MAX = 65_536;

class Call {
  readonly response: HttpResponse;
  gone = false;
  key = '';
  body: Buffer | null = null;

  constructor(response: HttpResponse) { this.response = response; }
}

// As the service has it.
setFlagsFromString('--no-parallel-scavenge');
const memory = makeTripMemory(Number(pageBytes));
const trips = new NearEnd<Call>(memory, answer);
const { port1, port2 } = new MessageChannel();
const order: CopyOrder = { files, pageRows: Number(pageRows), memory, pings: port2 };
new Worker(new URL('./round_trip_thread.js', import.meta.url), { workerData: order, transferList: [port2] }).on('error', (error) => { throw error; });
await once(port1, 'message');
port1.on('message', () => { trips.look(); });

uWS.App()
  .get('/*', (response) => { response.end('ready'); })
  .post('/*', (response, request) => {
    const call = new Call(response);
    response.onAborted(() => { call.gone = true; });
    call.key = request.getHeader('authorization');
    response.onData((piece, isLast) => { receive(call, piece, isLast); });
  })
  .listen('127.0.0.1', Number(port), (socket) => { if (socket === false) throw new Error('the port is taken'); });

function receive(call: Call, piece: ArrayBuffer, isLast: boolean): void {
  const bytes = Buffer.from(piece);
  // The memory of a piece is the library's again when this returns.
  const body = call.body === null && isLast ? bytes : Buffer.concat([call.body ?? Buffer.alloc(0), bytes]);
  if (body.length > BODY_BYTES_MAX) call.response.close();
  else if (isLast) ask(call, body.toString());
  else call.body = body;
}

function ask(call: Call, body: string): void {
  if (call.key === '' || JSON.parse(body) === null) refuse(call, '400 Bad Request');
  else if (!trips.send(call)) refuse(call, '503 Service Unavailable');
}

function refuse({ response }: Call, status: string): void {
  response.cork(() => { response.writeStatus(status).end(); });
}

let answered = 0;

/** What is sent is copied by the kernel, or by the library where that does not take all of it. */
function answer({ response, gone }: Call, page: Buffer): void {
  if (gone) return;
  answered += 1;
  response.cork(() => {
    // The whole head in one call, as the service writes it.
    response.writeStatus(`200 OK\r\ncontent-type: application/json\r\nx-request-id: ${answered}`).end(page);
  });
}
