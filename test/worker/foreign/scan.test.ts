import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { monotonicMs } from '../../../src/lib/clock.ts';
import type { FacetCounts } from '../../../src/model/answer.ts';
import { SuppressionSets } from '../../../src/model/suppression/suppressions.ts';
import { emailTerms } from '../../../src/model/suppression/term.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import type { ForeignRequest, ScanMessage } from '../../../src/pool/foreign_protocol.ts';
import { SourceFailure, type ForeignSource } from '../../../src/sources/source.ts';
import { scanForeign } from '../../../src/worker/foreign/scan.ts';

const WORDS = vocabulary('contacts');
const nobody = (): never => { throw new Error('it is not asked'); };

type Counted = Extract<ScanMessage, { readonly kind: 'counted' }>;

/** What is counted by a page of so many rows over three that the engine is not sure of, as it leaves presence to the rows; one of them is suppressed. */
async function countedBy(rowsMax: number, facet: ForeignSource['facet'], count?: ForeignSource['count']): Promise<Counted> {
  const { near, scanned } = scanning(rowsMax, facet, count);
  const counted = new Promise<Counted>((resolve) => {
    near.on('message', (message: ScanMessage) => {
      if (message.kind === 'rows') near.postMessage('more');
      if (message.kind === 'counted') resolve(message);
    });
  });
  const told = await counted;
  near.close();
  await scanned;
  return told;
}

function scanning(rowsMax: number, facet: ForeignSource['facet'], count: ForeignSource['count'] = () => Promise.resolve({ sure: 3, unsure: [] })): { near: MessagePort; scanned: Promise<void> } {
  const rows = ['gone', 'ann', 'bob'].map((name) => ({ id: `far:${name}`, source: 'far', sources: ['far'], email: `${name}@x.org`, city: 'Berlin', skills: ['SQL'] }));
  const source: ForeignSource = {
    describe: nobody, figures: nobody, facet,
    count,
    async *rows() { yield rows.map((row) => ({ json: JSON.stringify(row), phase: 0, key: row.email, keyClass: 2, sure: false })); },
    close: () => Promise.resolve(),
  };
  const sets = new SuppressionSets();
  for (const term of emailTerms('gone@x.org')!) sets.add(term);
  const request: ForeignRequest = {
    filters: [{ kind: 'presence', name: 'has_email', present: true, absent: false }], terms: [], order: 'stored',
    after: '', fields: null, suppressions: sets.shared, rowsMax, whole: false,
    count: true, facets: ['city', 'email_domain'], deadlineMs: monotonicMs() + 10_000,
  };
  const { port1, port2 } = new MessageChannel();
  return { near: port1, scanned: scanForeign(() => source, WORDS, request, port2) };
}

describe('a scan of a foreign source that leaves a suppressed row out', () => {
  it('counts the facets of a page that holds all matches by its rows', async () => {
    const { matched, atMost, facets } = await countedBy(25, nobody);
    assert.deepEqual([matched, atMost, facets], [2, false, [{ name: 'city', values: [['Berlin', 2]] }, { name: 'email_domain', values: [['x.org', 2]] }]]);
  });

  it('takes it out of what the engine counts, though the engine could not tell that it matches', async () => {
    const { matched, atMost, facets } = await countedBy(1, (name) => Promise.resolve({ name, values: [[name === 'city' ? 'BERLIN' : 'x.org', 3]] }));
    assert.deepEqual([matched, atMost, facets], [3, true, [{ name: 'city', values: [['BERLIN', 2]] }, { name: 'email_domain', values: [['x.org', 2]] }]]);
  });
});

describe('a scan of a foreign source that does not count', () => {
  const facet = (name: string): Promise<FacetCounts> => Promise.resolve({ name, values: [] });

  it('claims no row too many, though somebody is suppressed: of its rows only those that are returned are in the total', async () => {
    const { matched, atMost, missed } = await countedBy(1, facet, () => Promise.resolve({ sure: 0, unsure: null }));
    assert.deepEqual([matched, atMost, missed], [null, false, null]);
    const failed = await countedBy(1, facet, () => Promise.reject(new SourceFailure('broken', 'no count')));
    assert.deepEqual([failed.matched, failed.atMost, failed.missed?.code], [null, false, 'broken']);
  });

  it('says of how many at least it can tell, where there are too many of which it cannot', async () => {
    const { matched, atLeast } = await countedBy(1, facet, () => Promise.resolve({ sure: 40, unsure: null }));
    assert.deepEqual([matched, atLeast], [40, true]);
  });
});

describe('a scan of a foreign source that is stopped as it counts', () => {
  /** A count that is done as it is stopped, so many steps later, as where all that it waited for was to leave its session. */
  const doneAfter = (steps: number): ForeignSource['count'] => async (_, signal) => {
    await new Promise((resolve) => { signal.addEventListener('abort', resolve); });
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    return { sure: 3, unsure: [] };
  };

  it('has counted, or has missed it, and never both', async () => {
    const toldAs = new Set<string>();
    for (let steps = 0; steps < 40; steps += 1) {
      const { near, scanned } = scanning(1, (name) => Promise.resolve({ name, values: [] }), doneAfter(steps));
      const told = new Promise<Counted>((resolve) => { near.on('message', (message: ScanMessage) => { if (message.kind === 'counted') resolve(message); }); });
      await new Promise((resolve) => { near.once('message', resolve); });
      near.postMessage('cancel');
      await scanned;
      const { matched, missed } = await told;
      near.close();
      assert.deepEqual([matched, missed?.code ?? null], matched === null ? [null, 'cancelled'] : [3, null], `after ${steps} steps`);
      toldAs.add(matched === null ? 'missed' : 'counted');
    }
    assert.deepEqual([...toldAs].sort(), ['counted', 'missed']);
  });
});

describe('a scan of a foreign source whose facet is none', () => {
  it('fails alone, though nobody waits for its counts yet', async () => {
    const { near, scanned } = scanning(1, (name) => Promise.resolve({ name, values: null as never }));
    const rows = new Promise((resolve) => { near.on('message', resolve); });
    const failed = assert.rejects(scanned);
    await rows;
    // What nobody hears of by then ends the process.
    await new Promise((resolve) => { setImmediate(() => { setImmediate(resolve); }); });
    near.close();
    await failed;
  });
});
