import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { matches } from '../../../src/filter/matches.ts';
import { lexicon } from '../../../src/find/request/lexicon.ts';
import { readQuery } from '../../../src/find/request/read_query.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { vocabulary, type Vocabulary } from '../../../src/model/vocabulary.ts';
import { RowReader } from '../../../src/sources/http/rows.ts';

type FindApi = { readonly url: string; readonly port: number; readonly asked: JsonObject[]; close(): Promise<void> };

/** A server for the one answer after the other. */
export async function serveHttp(answer: (request: IncomingMessage, body: string, response: ServerResponse) => void): Promise<{ port: number; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => { body += text; }).on('end', () => answer(request, body, response));
    response.on('error', () => {});
  }).listen(0, '127.0.0.1');
  // However long the process stands still, no connection is closed under a request on its way.
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => { server.once('listening', resolve); });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };
}

/** An API that is no gateway: it takes the find body as the contract has it, and answers its rows as they lie, in no order that means anything. */
export async function serveFindApi(rows: readonly JsonObject[], words: Vocabulary = vocabulary('contacts'), columns: Record<string, string> = {}): Promise<FindApi> {
  const asked: JsonObject[] = [];
  const known = { contacts: lexicon(vocabulary('contacts')), companies: lexicon(vocabulary('companies')) };
  const reader = new RowReader('api', words, columns);
  const { port, close } = await serveHttp((request, body, response) => {
    if (request.method !== 'POST') {
      response.writeHead(404).end('no such thing');
      return;
    }
    const form = JSON.parse(body) as JsonObject;
    asked.push(form);
    const query = readQuery(form, 'stream', known, { contacts: new Set(), companies: new Set() });
    const test = matches(query.filters, query.terms, words);
    const found = rows.filter((row) => test({ ...reader.read(row)!.row, id: String(row[columns['id'] ?? 'id']) }));
    const lines = [
      ...found.slice(0, query.limit), { '@heartbeat': {} },
      { '@end': { total: found.length, total_relation: 'eq', returned: Math.min(found.length, query.limit), partial: false, next_cursor: null } },
    ];
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  return { url: `http://127.0.0.1:${port}/v1/find`, port, asked, close };
}
