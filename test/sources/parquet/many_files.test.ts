import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { Connections } from '../../../src/sources/parquet/connect.ts';
import { walkedOf } from '../../contract/sources/odd_texts.ts';
import { ids, NEVER, read, WrittenFiles } from './written_files.ts';

const FILES = LIMITS.parquetPageFiles * 3;

describe('a source of many parquet files', () => {
  const files = new WrittenFiles();

  it('asks no more of them for a page than it takes, and gives the same rows', async (t) => {
    for (let file = 0; file < FILES; file += 1) await files.write(`${file}.parquet`, file * 10, file * 10 + 10, `, ${file % 2 === 0 ? "'Bonn'" : 'NULL::INTEGER'} AS city`);
    const source = files.openAt('.');
    await source.describe(NEVER);
    const whole = ids(await read(source));
    assert.equal(new Set(whole).size, FILES * 10);
    const { batches } = Connections.prototype;
    t.after(() => { Connections.prototype.batches = batches; });
    const asked: number[] = [];
    Connections.prototype.batches = function (this: Connections, ...given) {
      asked.push(given[0].split('.parquet').length - 1);
      return batches.apply(this, given);
    };
    const page = await read(source, { rowsWanted: 25 });
    assert.deepEqual(ids(page), whole.slice(0, page.length));
    assert.ok(Math.max(...asked) <= LIMITS.parquetPageFiles, `${asked} files`);
    const last = whole.at(-1)!;
    const filters = [{ kind: 'terms' as const, name: 'id', include: [last], exclude: [] }];
    assert.deepEqual(ids(await read(source, { rowsWanted: 25, filters })), [last]);
    assert.deepEqual(ids(await walkedOf(source, 'stored')), whole);
    const bonn = [{ kind: 'terms' as const, name: 'city', include: ['bonn'], exclude: [] }];
    assert.deepEqual(ids(await read(source, { rowsWanted: FILES * 10, filters: bonn })), ids(await read(source, { filters: bonn })));
  });

  it('are of one type in a column, of however many, whichever of them are looked into', async () => {
    const kinds = ["TIMESTAMP '2024-05-06 07:08:09'", "DATE '2024-05-06'", '0.5::DOUBLE', '0.1::FLOAT'];
    const cityOf = (file: number): string => (file === 0 ? "'Bonn'" : kinds[file % kinds.length]!);
    for (let file = 0; file < FILES; file += 1) await files.write(`${file}.parquet`, file, file + 1, `, ${cityOf(file)} AS city`);
    // Its rows have no key: their ids are made of what they show.
    const source = files.openAt('.', { columns: { id: 'none' } });
    for (const order of ['stored', 'identity'] as const) {
      const whole = (await read(source, { order })).map(({ json }) => json);
      assert.equal(new Set(whole).size, FILES);
      assert.deepEqual((await walkedOf(source, order)).map(({ json }) => json), whole, order);
    }
  });

  it('are not looked into to count them all', async (t) => {
    for (const file of [0, 1]) await files.write(`${file}.parquet`, file * 10, file * 10 + 10);
    const source = files.openAt('.');
    await source.describe(NEVER);
    const { all } = Connections.prototype;
    t.after(() => { Connections.prototype.all = all; });
    let asked = 0;
    Connections.prototype.all = function (this: Connections, ...given) {
      asked += 1;
      return all.apply(this, given);
    };
    assert.deepEqual([await source.count({ filters: [], terms: [] }, NEVER), asked], [{ sure: 20, unsure: [] }, 0]);
    const filters = [{ kind: 'terms' as const, name: 'country', include: ['DE'], exclude: [] }];
    assert.deepEqual([await source.count({ filters, terms: [] }, NEVER), asked], [{ sure: 10, unsure: [] }, 1]);
  });

  it('are looked into once for their figures, and again when they changed', async (t) => {
    await files.write('0.parquet', 0, 10);
    const source = files.openAt('.');
    const { all } = Connections.prototype;
    t.after(() => { Connections.prototype.all = all; });
    let looks = 0;
    Connections.prototype.all = function (this: Connections, ...given) {
      if (given[0].includes('GROUP BY 1')) looks += 1;
      return all.apply(this, given);
    };
    const figured = async (): Promise<readonly [looks: number, rows: number | null, germans: number | undefined]> => {
      await source.describe(NEVER);
      const { rows, countries } = await source.figures(NEVER);
      return [looks, rows, countries['DE']];
    };
    assert.deepEqual([await figured(), await figured()], [[1, 10, 5], [1, 10, 5]]);
    await files.write('1.parquet', 10, 20);
    assert.deepEqual(await figured(), [2, 20, 10]);
  });

  it('are described for whoever asks next where that takes longer than the first one waits', async (t) => {
    for (const file of [0, 1]) await files.write(`${file}.parquet`, file * 10, file * 10 + 10);
    const source = files.openAt('.');
    const { all } = Connections.prototype;
    t.after(() => { Connections.prototype.all = all; });
    const left = new AbortController();
    let descriptions = 0;
    Connections.prototype.all = function (this: Connections, ...asked) {
      if (asked[0].includes('DESCRIBE')) {
        descriptions += 1;
        left.abort();
      }
      return all.apply(this, asked);
    };
    await assert.rejects(source.describe(left.signal), /stopped by this side/);
    assert.equal((await source.describe(NEVER)).trouble, null);
    assert.equal(descriptions, 1);
    await source.describe(NEVER);
    assert.equal(descriptions, 2, 'what was told once is looked at anew');
  });
});
