import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../../../src/config/limits.ts';
import type { Row } from '../../../src/model/field.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openHttp } from '../../../src/sources/http/open.ts';
import { SourceFailure, type FailureCode, type ForeignSource, type Search } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { serveHttp } from '../../support/servers/find_api.ts';

export const NEVER = new AbortController().signal;
export const WORDS = vocabulary('contacts');
export const NDJSON = { 'content-type': 'application/x-ndjson' };
export const ORDERED = { ...NDJSON, 'X-Lds-Order': 'identity' };
export const END = { '@end': { total: 2, total_relation: 'eq', partial: false, next_cursor: null } };
export const ANN = { id: '1', email: 'ann@x.org', full_name: 'Ann', country: 'us' };
export const BOB = { id: '2', email: 'bob@x.org', full_name: 'Bob', country: 'DE' };
export const lines = (...all: readonly unknown[]): string => all.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');

type Outcome = { readonly rows: readonly Row[]; readonly code: FailureCode | null; readonly dropped: number; readonly message: string };

/** What becomes of a search where the other side answers so. What it is asked beside rows gets a plain answer. */
export async function facing(
  answer: (response: ServerResponse, request: IncomingMessage, body: string) => void,
  search: Search = { filters: [], terms: [] }, rowsWanted: number | null = null, signal?: AbortSignal,
): Promise<Outcome> {
  const server = await serveHttp((request, body, response) => {
    if (request.method === 'GET') response.writeHead(404).end();
    else if (JSON.parse(body).limit === LIMITS.httpSampleRows) response.writeHead(200, NDJSON).end(lines(ANN, END));
    else answer(response, request, body);
  });
  const source = sourceAt(`http://127.0.0.1:${server.port}/v1/find`);
  try {
    return await outcomeOf(source, search, rowsWanted, signal);
  } finally {
    await source.close();
    await server.close();
  }
}

export function sourceAt(url: string, concurrency = 8): ForeignSource {
  const config = { name: 'partner', dataset: 'contacts', kind: 'http', url, headers: { authorization: 'Bearer secret-9' }, columns: {}, connect_timeout_ms: 10_000, concurrency } as const;
  return openHttp({ vocabulary: WORDS, config });
}

export async function outcomeOf(source: ForeignSource, search: Search, rowsWanted: number | null, signal = AbortSignal.timeout(60_000)): Promise<Outcome> {
  const rows: Row[] = [];
  let dropped = 0;
  try {
    for await (const batch of source.rows({
      ...search, order: 'stored', from: null, fields: null, rowsWanted,
      dropped: (count) => { dropped += count; },
    }, signal)) rows.push(...batch.map(({ json }) => readRow(json)));
    return { rows, code: null, dropped, message: '' };
  } catch (error) {
    assert.ok(error instanceof SourceFailure, String(error));
    return { rows, code: error.code, dropped, message: error.message };
  }
}

export const ids = ({ rows }: Outcome): unknown[] => rows.map(({ id }) => id);
