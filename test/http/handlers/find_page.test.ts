import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts } from '../../../src/accounts/open.ts';
import type { Permit } from '../../../src/accounts/permit.ts';
import type { Find, FoundPage } from '../../../src/find/find.ts';
import type { CatalogView } from '../../../src/find/sources.ts';
import { Call } from '../../../src/http/call.ts';
import { makeCors } from '../../../src/http/cors.ts';
import { findHandler } from '../../../src/http/handlers/find.ts';
import { problemAnswer } from '../../../src/http/problem.ts';
import { AppError } from '../../../src/model/errors.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { openInstruments } from '../../../src/telemetry/instruments.ts';
import { KeptExchange } from '../../support/exchanges.ts';

const CATALOG: CatalogView = { version: 1, vocabularies: { contacts: vocabulary('contacts'), companies: vocabulary('companies') }, sources: [], retained: new Map() };

/** A page of one row, as text or not. */
function pageOf(texts: boolean, released: () => void): FoundPage['page'] {
  const bytes = Buffer.from('{"id":"crm:1"}\n'.padEnd(200));
  const chunk = { bytes, rows: 1, start: [0], end: [14], markAt: () => 0, identity: null };
  return {
    outcomes: [], warnings: [], errors: [], partial: false, total: 1, relation: 'eq', returned: 1, next: null, facets: null, upTo: null, whole: null, scannedMs: 0,
    rows: texts ? [] : [{ chunk, row: 0, lane: 0, fill: null, sources: null, passes: null }],
    texts: texts ? [{ bytes, start: 0, end: 14, release: released }] : null,
  };
}

for (const texts of [true, false]) {
  for (const revoked of [false, true]) {
    test(`a page that came as ${texts ? 'text' : 'rows'} goes to ${revoked ? 'nobody where its key was revoked while it was looked for' : 'whoever asked'}, and is let go`, async () => {
      let released = 0;
      let isRevoked = false;
      const permit = { get revoked() { return isRevoked; }, charged: 0, settle: () => {} };
      const find = {
        page: async () => {
          await Promise.resolve();
          isRevoked = revoked;
          return { page: pageOf(texts, () => { released += 1; }), nextCursor: null, planMs: 0, scanMs: 0, mergeMs: 0 };
        },
      };
      const exchange = new KeptExchange();
      exchange.body = Buffer.from('{"type":"contacts"}');
      const call = new Call(exchange, 'id-1', new Map(), problemAnswer, {} as Accounts, makeCors([]));
      call.permit = permit as unknown as Permit;
      const answered = findHandler({ find: find as unknown as Find, catalog: () => CATALOG, instruments: openInstruments(() => 0) })(call);
      if (revoked) await assert.rejects(answered, (error) => error instanceof AppError && error.code === 'unauthorized');
      else await answered;
      assert.deepEqual([exchange.begun, exchange.text.includes('crm:1'), released], [!revoked, !revoked, texts ? 1 : 0]);
    });
  }
}
