import { createHash } from 'node:crypto';
import { departmentOf } from '../../../src/ingest/normalise/department.ts';
import { splitName } from '../../../src/ingest/normalise/name.ts';
import { seniorityOfTitle } from '../../../src/ingest/normalise/seniority.ts';
import { sizeOfHeads } from '../../../src/ingest/normalise/size.ts';
import type { Dataset } from '../../../src/model/dataset.ts';
import type { Row } from '../../../src/model/field.ts';
import { vocabulary, type ExtraField } from '../../../src/model/vocabulary.ts';
import type { Draw } from './draw.ts';

type Value = Row[string];
type Cells = Readonly<Record<string, Value>>;
/** Values of each field. */
type Pool = Readonly<Record<string, readonly Value[]>>;

/** A record of a file as it stands there, and the row that is to come of it: null where it is refused, and without an extra column that is not declared. */
export type Given = { readonly key: string | null; readonly cells: Cells; readonly row: Row | null };

/** What each version of a row has in one of its texts, and nothing else: by it the version is found in whatever file. Rows without a key are told by what they say, and have one for each. */
export const MARKER = /m[kl][0-9a-f]{8}/g;

/** Many, so that one row is the newest; in a second of another there are some with a fraction. */
const TIMES = [...Array.from({ length: 60 }, (_, at) => `2024-05-01T10:00:${String(at >>> 1).padStart(2, '0')}${at % 2 === 0 ? '' : '.250'}Z`), ...Array.from({ length: 20 }, () => null)];

const POOLS: Readonly<Record<Dataset, Pool>> = {
  contacts: {
    full_name: ['Ann Lee', 'Ann Lee', 'Bo Åkesson', 'Chloé Díaz', 'Lee Ann Cox', null],
    job_title: ['VP Engineering', 'Head of Sales', 'Engineer', 'Data Scientist', null],
    email: ['ann@acme.com', 'bo@acme.com', 'cy@firma.de', 'di@firma.de', null, null],
    phone: ['+493012345678', null],
    linkedin_url: ['https://www.linkedin.com/in/ann-lee', 'https://www.linkedin.com/in/bo-7', null, null],
    country: ['US', 'US', 'DE', 'FR', 'ZW', null],
    city: ['Berlin', 'New York', null],
    company_name: ['Acme', 'Acme Works', 'Firma', null],
    company_domain: ['acme.com', 'firma.de', null],
    industry: ['Software', 'Retail', null],
    skills: [['sql', 'go'], ['go'], ['rust'], null],
    updated_at: TIMES,
  },
  companies: {
    name: ['Acme', 'Acme Works', 'Firma', 'Works of Acme', null],
    domain: ['acme.com', 'firma.de', 'x-y.org', null, null],
    description: ['makes works of iron', 'sells software', null],
    industry: ['Software', 'Retail', null],
    keywords: [['iron', 'works'], ['software'], null],
    country: ['US', 'US', 'DE', 'FR', 'ZW', null],
    city: ['Berlin', 'New York', null],
    phone: ['+493012345678', null],
    email: ['info@acme.com', null],
    linkedin_url: ['https://www.linkedin.com/company/acme', null, null],
    employee_count: [7, 70, 700, null],
    founded_year: [1990, 2010, null],
    updated_at: TIMES,
  },
};
const EXTRA_POOL: Pool = {
  tags: [['red', 'blue'], ['red'], null], tier: ['gold', 'silver', null], score: [1, 2, 30, null], seen_at: ['2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z', null],
};
/** Where a marker may stand. One of them identifies the row, or there is another field that does. */
const MARKED: Readonly<Record<Dataset, readonly string[]>> = { contacts: ['company_name', 'city', 'full_name', 'job_title'], companies: ['name', 'city', 'description'] };
const IDENTIFYING: Readonly<Record<Dataset, readonly string[]>> = { contacts: ['full_name', 'email', 'linkedin_url'], companies: ['name', 'domain', 'linkedin_url'] };

/** Keys that are near to each other: they differ in case, in blanks, in a sign alone. */
const KEYS: readonly ((n: number) => string)[] = [
  (n) => `k${n}`, (n) => `K${n}`, (n) => `k ${n}`, (n) => `É${n}`, (n) => `é${n}`, (n) => `${n}`, (n) => `0${n}`, (n) => `İ${n}`, (n) => `i\u0307${n}`, (n) => `a,b;${n}`, (n) => `😀${n}`,
];

/** How files may spell a key that comes out the same. */
const SPELLINGS: readonly ((key: string, source: string) => string)[] = [
  (key) => key, (key) => key, (key) => key, (key) => ` ${key} `, (key) => key.replace(' ', '  '), (key, source) => `${source}:${key}`, (key) => key.normalize('NFD'),
];

/** Draws the records of files of a source. */
export class Records {
  readonly #draw: Draw;
  readonly #dataset: Dataset;
  readonly #source: string;
  /** How many keys of each kind there are. */
  readonly #keysMax: number;
  #versions = 0;

  constructor(draw: Draw, dataset: Dataset, source: string, keysMax: number) {
    this.#draw = draw;
    this.#dataset = dataset;
    this.#source = source;
    this.#keysMax = keysMax;
  }

  key(): string {
    return this.#draw.one(KEYS)(this.#draw.below(this.#keysMax)).normalize('NFC');
  }

  spelled(key: string): string {
    return this.#draw.one(SPELLINGS)(key, this.#source);
  }

  /** Of one file. Keys are drawn by `keyOf`. */
  file(rows: number, extras: readonly ExtraField[], keyOf: () => string): Given[] {
    const draw = this.#draw;
    const { pool, fed } = this.#fed(extras);
    const keyless = draw.chance(0.15) ? 1 : draw.one([0, 0.1, 0.3]);
    return Array.from({ length: rows }, () => {
      if (draw.chance(0.04)) return this.#nobody(fed, keyOf());
      return draw.chance(keyless) ? this.#keyless(pool, fed, extras) : this.#keyed(keyOf(), pool, fed);
    });
  }

  /** A row of each key. */
  replacing(keys: readonly string[], extras: readonly ExtraField[]): Given[] {
    const { pool, fed } = this.#fed(extras);
    return keys.map((key) => this.#keyed(key, pool, fed));
  }

  /** Rows of a source as an export of it has them. */
  export(rows: readonly Row[], extras: readonly ExtraField[]): Given[] {
    const fields = [...Object.keys(POOLS[this.#dataset]), ...extras.map(({ name }) => name)];
    return rows.map((row) => ({ key: (row.id as string).slice(this.#source.length + 1), cells: Object.fromEntries(fields.map((field) => [field, row[field] ?? null])), row }));
  }

  /** The fields that a file has. */
  #fed(extras: readonly ExtraField[]): { readonly pool: Pool; readonly fed: readonly string[] } {
    const needed = new Set([...MARKED[this.#dataset], 'country', 'updated_at']);
    const pool = { ...POOLS[this.#dataset], ...Object.fromEntries(extras.map(({ name }) => [name, EXTRA_POOL[name]!])) };
    return { pool, fed: Object.keys(pool).filter((field) => needed.has(field) || this.#draw.chance(0.7)) };
  }

  #keyed(key: string, pool: Pool, fed: readonly string[]): Given {
    const cells = this.#identified(Object.fromEntries(fed.map((field) => [field, this.#draw.one(pool[field]!)])));
    const marked = this.#marked(cells, `mk${(this.#versions++).toString(16).padStart(8, '0')}`);
    return { key: this.spelled(key), cells: marked, row: this.#row(`${this.#source}:${key}`, marked) };
  }

  /** Nothing says who it is. */
  #nobody(fed: readonly string[], key: string): Given {
    return { key, cells: { ...Object.fromEntries(fed.map((field) => [field, null])), country: 'US', city: 'Nowhere' }, row: null };
  }

  /** One of a few that come again and again, at other times. */
  #keyless(pool: Pool, fed: readonly string[], extras: readonly ExtraField[]): Given {
    const nth = this.#draw.below(4);
    const drawn = this.#identified(Object.fromEntries(fed.map((field) => [field, field === 'updated_at' ? this.#draw.one(pool[field]!) : pool[field]![nth % pool[field]!.length]!])));
    const { updated_at: _, ...said } = drawn;
    const cells = this.#marked(drawn, `ml${createHash('md5').update(JSON.stringify(said)).digest('hex').slice(0, 8)}`, nth);
    const row = this.#row('', cells);
    return { key: null, cells, row: { ...row, id: `${this.#source}:${hashOf(this.#dataset, extras, row)}` } };
  }

  #identified(cells: Cells): Cells {
    const fields = IDENTIFYING[this.#dataset];
    return fields.some((field) => (cells[field] ?? null) !== null) ? cells : { ...cells, [fields[0]!]: POOLS[this.#dataset][fields[0]!]![0]! };
  }

  #marked(cells: Cells, marker: string, nth = this.#draw.below(4)): Cells {
    const places = MARKED[this.#dataset];
    const field = places[nth % places.length]!;
    return { ...cells, [field]: cells[field] === null ? `Of ${marker}` : `${cells[field] as string} ${marker}` };
  }

  /** The normal form of a record: its cells stand in theirs already. */
  #row(id: string, cells: Cells): Row {
    const common: Row = { id, source: this.#source, sources: [this.#source], ...cells };
    if (this.#dataset === 'companies') return { ...common, size: typeof cells.employee_count === 'number' ? sizeOfHeads(String(cells.employee_count)) : null };
    const { first, last } = typeof cells.full_name === 'string' ? splitName(cells.full_name) : { first: null, last: null };
    const title = cells.job_title as string | null;
    return { ...common, first_name: first, last_name: last, seniority: title === null ? null : seniorityOfTitle(title), department: title === null ? null : departmentOf(title) };
  }
}

/** What is told of a row without a key, but for when it was told. */
function hashOf(dataset: Dataset, extras: readonly ExtraField[], row: Row): string {
  const fields = vocabulary(dataset, extras).fields.map(({ name }) => name).filter((name) => !['id', 'source', 'sources', 'updated_at'].includes(name));
  const said = fields.filter((name) => (row[name] ?? null) !== null).map((name) => {
    const value = row[name]!;
    return `${name}=${Array.isArray(value) ? `[${value.join(', ')}]` : name === 'linkedin_url' ? (value as string).toLowerCase() : value}`;
  });
  return createHash('md5').update(said.join('\x1f')).digest('hex').slice(0, 24);
}

/** Records as a file has them. */
export function written(records: readonly Given[], format: 'csv' | 'ndjson'): string {
  const fields = Object.keys(records[0]!.cells);
  if (format === 'ndjson') return records.map(({ key, cells }) => `${JSON.stringify({ ...(key === null ? {} : { id: key }), ...cells })}\n`).join('');
  const keyed = records.some(({ key }) => key !== null);
  const lines = records.map(({ key, cells }) => [...(keyed ? [key] : []), ...fields.map((field) => cells[field]!)].map(cellOf).join(','));
  return [[...(keyed ? ['id'] : []), ...fields].join(','), ...lines].map((line) => `${line}\n`).join('');
}

function cellOf(value: Value): string {
  const text = value === null ? '' : Array.isArray(value) ? value.join('; ') : String(value);
  return /[",\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
