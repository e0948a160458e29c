import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { chunkOfCompact } from '../../../src/federation/compact_chunk.ts';
import { chunkOfRun } from '../../../src/federation/run.ts';
import type { Row } from '../../../src/model/field.ts';
import type { ScanRequest } from '../../../src/pool/protocol.ts';
import { makeTrays, TrayReader, TrayWriter } from '../../../src/pool/tray_protocol.ts';
import { closeSegment, openSegment, readText, type Segment } from '../../../src/segment/reader.ts';
import type { RowForm } from '../../../src/segment/row_form.ts';
import { eachText } from '../../../src/worker/scan/compact_text.ts';
import { fullRow, inFolder, inOrder, load, segmentOf, write } from '../../segment/support.ts';
import { requestOf, scan, scanned as scannedAs, taken, targetOf, type Scanned } from './support.ts';

const PEOPLE: Row[] = Array.from({ length: 6_000 }, (_, at) => fullRow('contacts', {
  id: `test:${at}`, email: at % 3 === 0 ? null : at % 50 === 1 ? `Upper${at}@Case.com` : `p${at}@x${at % 90}.com`, linkedin_url: at % 6 === 0 ? null : `https://www.linkedin.com/in/p${at}`,
  country: ['US', 'US', 'DE', null][at % 4]!, job_title: ['Engineer', 'Head of "Sales"', 'Zoë\n'][(at >> 2) % 3]!, seniority: ['vp', 'senior', null][at % 3]!,
  skills: at % 5 === 0 ? null : ['a', 'b c', 'd'].slice(at % 3), headline: 'x'.repeat((at * 37) % 900),
}));
const FLAGS = new Int32Array(4);
const SPARSE: ScanRequest['filters'] = [{ kind: 'terms', name: 'job_title', include: ['engineer'], exclude: [] }, { kind: 'terms', name: 'country', include: ['US'], exclude: [] }];

async function both(rows: readonly Row[] = PEOPLE): Promise<Record<RowForm, Segment>> {
  return { text: (await segmentOf('contacts', rows)).segment, compact: (await segmentOf('contacts', rows, [], 'compact')).segment };
}

/** With the text of rows: left where they are compact ones have none. */
const scanned = (target: ReturnType<typeof targetOf>, given: Partial<ScanRequest>): Scanned => scannedAs(target, { copy: true, ...given });

/** The text of a page in a tray, or null where it came in a table. */
function trayText(segment: Segment, request: ScanRequest): string | null {
  const trays = makeTrays();
  const reply = scan(targetOf(segment), { ...request, form: 'json' }, FLAGS, new TrayWriter(trays));
  assert.ok(reply.ok);
  if (reply.text === null) assert.ok(trays.held.every((held) => held === 0), 'no tray is left taken');
  return reply.text === null ? null : new TrayReader(trays).receive(reply.text.tray, reply.text.start, reply.text.end).bytes.toString('utf8', reply.text.start, reply.text.end);
}

describe('compact rows', async () => {
  const { text, compact } = await both();

  it('are scanned as rows of text are, in either order', () => {
    assert.ok(compact.bytes.bytes < 0.9 * text.bytes.bytes);
    for (const order of ['stored', 'identity'] as const) {
      for (const filters of [[], SPARSE]) {
        const request = { order, filters, count: true, rowsMax: 4_000 };
        const [a, b] = [scanned(targetOf(text), request), scanned(targetOf(compact), request)];
        assert.deepEqual(taken(compact, b, order), taken(text, a, order), JSON.stringify(request));
        assert.deepEqual([b.rows, b.stop, b.after, b.matched], [a.rows, a.stop, a.after, a.matched]);
      }
    }
  });

  it('come as the text of a page where that fits a tray, and in a table where it does not', () => {
    for (const rowsMax of [1, 25, 60]) {
      const request = requestOf({ filters: SPARSE, rowsMax });
      assert.equal(trayText(compact, request), trayText(text, request));
    }
    assert.equal(trayText(compact, requestOf({ rowsMax: 1_500 })), null);
    assert.deepEqual(taken(compact, scanned(targetOf(compact), { rowsMax: 1_500 })), taken(text, scanned(targetOf(text), { rowsMax: 1_500 })));
    // As many as nearly fill a tray are tried, and given another way where they turn out to be too long.
    const tries = Array.from({ length: 400 }, (_, at) => trayText(compact, requestOf({ rowsMax: 1 + at })));
    const first = tries.indexOf(null);
    assert.ok(first > 1 && tries.slice(first).every((one) => one === null) && tries[first - 1]!.length <= LIMITS.trayBytes);
  });

  it('come as the text of some fields, where they have them all', () => {
    const fields = ['full_name', 'headline', 'skills'];
    for (const rowsMax of [1, 25, 90]) {
      const request = requestOf({ filters: SPARSE, rowsMax });
      const whole = taken(text, scanned(targetOf(text), { filters: SPARSE, rowsMax }));
      const cut = whole.map(({ row }) => `{${fields.map((name) => `"${name}":${JSON.stringify(row[name])}`).join()}}`).join();
      for (const segment of [text, compact]) {
        assert.equal(trayText(segment, { ...request, fields }), cut);
        assert.equal(trayText(segment, { ...request, fields: [...fields, 'declared_later'] }), null);
      }
    }
  });

  it('are visited as the texts they stand for, one after the other, however long one is', async () => {
    const rows = PEOPLE.slice(0, 3_000).map((row, at) => (at === 700 ? { ...row, headline: 'y'.repeat(LIMITS.expandWindowBytes + 9) } : row));
    const wanted = (_: unknown, at: number): boolean => at % 4 !== 1;
    for (const { segment } of [await segmentOf('contacts', rows, [], 'compact'), await segmentOf('contacts', rows)]) {
      const visited: string[] = [];
      const places = Uint32Array.from({ length: segment.rows }, (_, at) => at).filter(wanted);
      eachText(segment, places, (row) => { visited.push(row.toString()); });
      assert.deepEqual(visited, Array.from(places, (row) => readText(segment, row).toString()));
      assert.ok(visited.some(({ length }) => length > LIMITS.expandWindowBytes));
    }
  });

  it('on a disk and mapped are what they are in memory', async () => {
    await inFolder(async (folder) => {
      const files = await write(folder, 'contacts', inOrder('contacts', PEOPLE), [], 'compact');
      for (const mapped of [true, false]) {
        const stored = openSegment(load(files).index, { file: files.rows, bytes: files.summary.rowsBytes, mapped });
        for (const request of [{ filters: SPARSE, rowsMax: 500, order: 'identity' as const }, { rowsMax: 900 }]) {
          assert.deepEqual(taken(stored, scanned(targetOf(stored), request), request.order), taken(text, scanned(targetOf(text), request), request.order));
        }
        assert.equal(trayText(stored, requestOf({ filters: SPARSE, rowsMax: 25 })), trayText(text, requestOf({ filters: SPARSE, rowsMax: 25 })));
        closeSegment(stored);
      }
    });
  });

  it('are told by where they are stored, where they may stay there and no identity is asked for', () => {
    for (const filters of [[], SPARSE]) {
      const { bytes, table, rows } = scannedAs(targetOf(compact), { filters, rowsMax: 300 });
      assert.equal(bytes, null);
      const [stored, marks] = [compact.bytes.resident!, table.subarray(2 * rows)];
      const chunk = chunkOfCompact(filters.length === 0 ? chunkOfRun(stored, { rows, start: table[0]!, end: table[1]!, mark: table[2]! })
        : { bytes: stored, rows, start: table.subarray(0, rows), end: table.subarray(rows, 2 * rows), markAt: (row) => marks[row]!, identity: null }, compact.stencils!, { broke: assert.fail });
      const expected = taken(text, scanned(targetOf(text), { filters, rowsMax: 300 }));
      assert.deepEqual(Array.from({ length: rows }, (_, row) => chunk.markAt(row)), expected.map(({ mark }) => mark));
      assert.equal(Buffer.from(chunk.bytes).toString(), expected.map(({ row }) => `${JSON.stringify(row)}\n`).join(''));
    }
    assert.notEqual(scannedAs(targetOf(compact), { rowsMax: 5, order: 'identity' }).bytes, null);
  });

  it('that are longer than what they are spelled on come whole, among others', async () => {
    const long = (bytes: number, at: number): Row => fullRow('contacts', { id: `test:${at}`, email: `l${at}@x.com`, headline: '😀'.repeat(bytes / 4) });
    const rows = [...PEOPLE.slice(0, 40), long(LIMITS.expandWindowBytes + 4_000, 7_001), long(3 * LIMITS.expandScratchBytes, 7_002), ...PEOPLE.slice(40, 90)];
    const odd = await both(rows);
    for (const order of ['stored', 'identity'] as const) {
      assert.deepEqual(taken(odd.compact, scanned(targetOf(odd.compact), { order }), order), taken(odd.text, scanned(targetOf(odd.text), { order }), order));
    }
  });

  it('of which a slice may have so many bytes are about as many as of text', () => {
    for (const order of ['stored', 'identity'] as const) {
      const bytes = scanned(targetOf(compact), { order, bytesMax: 200_000 }).bytes!.length;
      assert.ok(bytes > 100_000 && bytes < 400_000, `${bytes} bytes`);
    }
  });

  it('are spelled with what is not of the index, which may be closed', () => {
    assert.notEqual(compact.stencils!.buffer, compact.index.buffer);
  });

  it('of many segments are each spelled by their own', async () => {
    await inFolder(async (folder) => {
      for (let at = 0; at < 120; at++) {
        mkdirSync(join(folder, String(at)));
        const rows = Array.from({ length: 30 }, (_, row) => fullRow('contacts', { id: `test:${at}-${row}`, seniority: `level ${at % 7}`, department: `team ${at}` }));
        const { segment, stored } = await segmentOf('contacts', rows, [], 'compact');
        assert.deepEqual(taken(segment, scanned(targetOf(segment), {})).map(({ row }) => row), stored);
      }
    });
  });
});
