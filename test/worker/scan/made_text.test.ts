import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ByteSink } from '../../../src/encode/byte_sink.ts';
import { joinCsv, writeCsv } from '../../../src/encode/csv.ts';
import { joinPacked, packRows } from '../../../src/encode/msgpack.ts';
import { RowShape, rowLayout, type RowsText } from '../../../src/encode/rows.ts';
import type { Row } from '../../../src/model/field.ts';
import type { ExtraField } from '../../../src/model/vocabulary.ts';
import { makeTrays, TrayReader, TrayWriter } from '../../../src/pool/tray_protocol.ts';
import type { ScanRequest } from '../../../src/pool/protocol.ts';
import { closeSegment, openSegment, type Segment } from '../../../src/segment/reader.ts';
import { asStored, chunkOf } from '../../encode/rows_support.ts';
import { fullRow, inFolder, inOrder, load, segmentOf, write } from '../../segment/support.ts';
import { requestOf, scan, scanned, taken, targetOf } from './support.ts';

const EXTRAS: readonly ExtraField[] = [{ name: 'badge', type: 'integer', description: 'badge' }, { name: 'team', type: 'string', description: 'team' }];
const PLAIN = ['', 'Zoë', '+4930, 1', '=1', '@a', '-', 'VP, Sales', '愛 高橋', 'Álvaro', 'x'.repeat(31), 'y'.repeat(32), 'z'.repeat(255), 'a'.repeat(256), null];
/** Of which a desk cannot tell what becomes of them from their bytes alone: in either form, in CSV, and of numbers in MessagePack. */
const ESCAPED = ['say "hi"', 'back\\slash', 'two\nlines', '\ud800'];
const BLANK = [' =1', '\u00a0=1', '\uff1d1'];
const LONG = [2 ** 40, 1.5];
const ODD = [...ESCAPED, ...BLANK];
const BADGES = [0, -7, 127, 256, 65_536, 999_999_999, null, ...LONG];
const PAGE_ROWS = 20;
const ROWS = Array.from({ length: 20 * PAGE_ROWS }, (_, at): Row => fullRow('contacts', {
  id: `test:${String(at).padStart(5, '0')}`, country: 'US', full_name: PLAIN[at % PLAIN.length]!, skills: [null, [], ['a'], ['b, c', '=d'], ['x', ...PLAIN.filter((text) => text !== null)]][at % 5]!,
  badge: BADGES[at % (at < 10 * PAGE_ROWS ? BADGES.length - LONG.length : BADGES.length)]!, team: at % 3 === 0 ? null : 'sales',
  headline: at % (2 * PAGE_ROWS) === 3 ? ODD[Math.floor(at / (2 * PAGE_ROWS)) % ODD.length]! : PLAIN[(at >> 3) % PLAIN.length]!,
}, EXTRAS));
const FIELDS = [null, ['id', 'source'], ['id', 'full_name', 'skills'], ['id', 'headline', 'badge'], ['skills', 'team']];
const FORMS = ['msgpack', 'csv'] as const;

const TRAYS = makeTrays();
const [WRITER, READER] = [new TrayWriter(TRAYS), new TrayReader(TRAYS)];

/** The page as its thread made it, or null where it came in a table. */
function made(segment: Segment, asked: Partial<ScanRequest>): RowsText | null {
  const reply = scan(targetOf(segment), requestOf({ rowsMax: PAGE_ROWS, copy: true, ...asked }), new Int32Array(4), WRITER);
  assert.ok(reply.ok && (reply.text === null) === TRAYS.held.every((held) => held === 0), 'no tray is left taken');
  if (reply.text === null) return null;
  const held = READER.receive(reply.text.tray, reply.text.start, reply.text.end);
  const own = Buffer.from(held.bytes.subarray(held.start, held.end));
  held.release();
  return { bytes: own, start: 0, end: own.length };
}

function isOdd({ headline, badge }: Row, form: typeof FORMS[number], fields: readonly string[] | null): boolean {
  if ((fields === null || fields.includes('headline')) && (form === 'csv' ? ODD : ESCAPED).includes(headline as string)) return true;
  return form === 'msgpack' && (fields === null || fields.includes('badge')) && LONG.includes(badge as number);
}

/** Says how many pages were made. */
async function inTurn(segment: Segment, form: typeof FORMS[number], fields: readonly string[] | null): Promise<number> {
  const shape = new RowShape(rowLayout(segment.vocabulary), fields);
  let count = 0;
  for (let after = -1; after + 1 < segment.rows; after += PAGE_ROWS) {
    const text = made(segment, { form, fields, after });
    const own = taken(segment, scanned(targetOf(segment), { after, rowsMax: PAGE_ROWS, copy: true })).map(({ row }) => row);
    assert.equal(text === null, own.some((row) => isOdd(row, form, fields)), `${form} of ${fields?.join() ?? 'all'} behind ${after}`);
    if (text === null) continue;
    count += 1;
    const [joined, written] = [new ByteSink(), new ByteSink()];
    const rows = asStored(chunkOf(own));
    if (form === 'csv') joinCsv(joined, [text], shape);
    else joinPacked(joined, [text]);
    assert.equal(await (form === 'csv' ? writeCsv : packRows)(written, rows, shape), PAGE_ROWS);
    const from = form === 'csv' ? 0 : '\xdf....\xa7results\xdd....'.length;
    assert.equal(Buffer.from(joined.view()).toString('latin1', from), Buffer.from(written.view()).toString('latin1', from), `${form} of ${fields?.join() ?? 'all'} behind ${after}`);
  }
  return count;
}

describe('a page that its thread makes into MessagePack or CSV', async () => {
  const text = (await segmentOf('contacts', ROWS, EXTRAS)).segment;
  const compact = (await segmentOf('contacts', ROWS, EXTRAS, 'compact')).segment;

  for (const form of FORMS) {
    it(`is what would be made of its rows one by one, byte for byte, and left to who does that where one is odd, as ${form}`, async () => {
      await inFolder(async (folder) => {
        const files = await write(folder, 'contacts', inOrder('contacts', ROWS), EXTRAS);
        const onDisk = openSegment(load(files).index, { file: files.rows, bytes: files.summary.rowsBytes, mapped: false });
        for (const segment of [text, compact, onDisk]) {
          for (const fields of FIELDS) {
            assert.ok(await inTurn(segment, form, fields) > 5);
          }
        }
        closeSegment(onDisk);
      });
    });

    it(`comes in a table where the rows lack a field, have them in another order or have rotted, and where no tray is free, as ${form}`, () => {
      assert.notEqual(made(text, { form, fields: ['id', 'badge', 'team'], after: PAGE_ROWS - 1 }), null);
      assert.equal(made(text, { form, fields: ['id', 'badge', 'declared_later'] }), null);
      assert.equal(made(text, { form, fields: ['id', 'team', 'badge'] }), null);
      const rotten = Buffer.from(text.bytes.resident!);
      rotten[rotten.indexOf('"full_name"')] = 0x78;
      const resident = { ...text, bytes: { ...text.bytes, resident: rotten, read: (start: number, end: number, into: Buffer, at: number) => { rotten.copy(into, at, start, end); } } } as Segment;
      assert.equal(made(resident, { form }), null);
      const held = makeTrays();
      const trays = new TrayWriter(held);
      while (trays.take() !== null);
      const reply = scan(targetOf(text), requestOf({ form, rowsMax: PAGE_ROWS, after: PAGE_ROWS - 1 }), new Int32Array(4), trays);
      assert.ok(reply.ok && reply.text === null && reply.rows === PAGE_ROWS);
    });
  }

  it('of more bytes than a tray has comes in a table', async () => {
    const { segment } = await segmentOf('contacts', ROWS.slice(0, PAGE_ROWS).map((row) => ({ ...row, headline: 'x'.repeat(7_000) })), EXTRAS);
    for (const form of FORMS) assert.equal(made(segment, { form }), null);
  });
});
