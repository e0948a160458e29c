import type { Row } from '../../../src/model/field.ts';
import type { ExtraField } from '../../../src/model/vocabulary.ts';
import { ROW_STORAGES, type RowStorage } from '../../../src/sources/lake/row_storage.ts';
import { EXTRAS } from '../../fuzz/corpus.ts';
import type { Draw } from './draw.ts';
import { Records, type Given } from './given.ts';
import type { Model } from './model.ts';
import type { Part, Published } from './published.ts';

/** What an order says beside what it is. */
export type Wanted = { readonly extras: readonly ExtraField[]; readonly rowForm: RowStorage | null };

type Files = readonly (readonly Given[])[];

/** Draws what is done to a source: the records of files, the lists of ids. */
export class Orders {
  readonly #draw: Draw;
  readonly #model: Model;
  readonly #records: Records;
  #declared: readonly ExtraField[] = [];

  constructor(draw: Draw, model: Model) {
    this.#draw = draw;
    this.#model = model;
    this.#records = new Records(draw, model.dataset, model.source, draw.one([8, 12]));
  }

  /** Of the extra columns and of the form of the rows: as before, mostly. */
  wanted(): Wanted {
    if (this.#draw.chance(0.04)) this.#declared = this.#draw.some(EXTRAS, 0.5);
    return { extras: this.#declared, rowForm: this.#draw.chance(0.04) ? this.#draw.one(ROW_STORAGES) : null };
  }

  /** Keys are those that are there, those that are near to them, and now and then one that was drawn for the same file already. */
  files(rows: number, extras: readonly ExtraField[]): Files {
    const ids = this.#keys();
    const drawn: string[] = [];
    const knownShare = this.#draw.one([0, 0.3, 0.7, 1]);
    const keyOf = (): string => {
      const key = drawn.length > 0 && this.#draw.chance(0.1) ? this.#draw.one(drawn) : ids.length > 0 && this.#draw.chance(knownShare) ? this.#draw.one(ids) : this.#records.key();
      drawn.push(key);
      return key;
    };
    const first = this.#draw.chance(0.3) ? this.#draw.between(1, rows) : rows;
    return [first, rows - first].filter((some) => some > 0).map((some) => this.#records.file(some, extras, keyOf));
  }

  /** Of a source that is new. */
  first(): Files {
    const keys = new Set(Array.from({ length: 150 }, () => this.#records.key()));
    return [this.#records.replacing([...keys].slice(0, 70), []), this.#records.file(10, [], () => this.#records.key())];
  }

  /** Others in the place of so many living rows of the largest segment, of which one is the newest. */
  replacing(rows: number, { parts }: Published): Files {
    const largest = parts.reduce((one, other) => (other.living.length > one.living.length ? other : one));
    const newest = largest.living.find((line) => (JSON.parse(line) as Row).updated_at === largest.entry.updatedAt)!;
    const keys = [...new Set(idsIn([newest, ...largest.living]))].slice(0, rows).map((id) => this.#keyOf(id));
    return [this.#records.replacing(keys, [])];
  }

  /** Most or all of what is there, as it is, and at times something else. */
  export(extras: readonly ExtraField[]): Files {
    const same = this.#records.export(this.#draw.some([...this.#model.rows.values()], this.#draw.one([1, 1, 0.8, 0.3])), extras);
    const others = this.#draw.chance(0.7) ? this.files(this.#draw.between(1, 5), extras) : [];
    return (this.#draw.chance(0.5) ? [same, ...others] : [...others, same]).filter(({ length }) => length > 0);
  }

  /** Of rows that are there, of such as are gone, or that never were, as they may be spelled. */
  idsToErase(parts: readonly Part[]): string[] {
    const ids = [...this.#model.rows.keys()];
    if (this.#draw.chance(0.05)) return [...ids, 'nobody'];
    const replaced = this.replaced(parts);
    const few = (some: readonly string[], most: number): string[] => (some.length === 0 ? [] : Array.from({ length: this.#draw.between(0, most) }, () => this.#draw.one(some)));
    const chosen = this.#draw.one([() => few(ids, 3), () => few(replaced, 1), () => [...few(ids, 1), ...few(replaced, 1)], () => few(ids, 8)])();
    const lines = chosen.map((id) => (this.#draw.chance(0.5) ? id : this.#records.spelled(this.#keyOf(id))));
    return [...lines, ...(this.#draw.chance(0.3) ? [this.#records.key()] : []), ...(this.#draw.chance(0.2) ? ['', 'nobody'] : [])];
  }

  /** The ids of the rows that are gone, each of which has a later version. */
  replaced(parts: readonly Part[]): string[] {
    return parts.flatMap(({ all, living }) => idsIn(all.filter((line) => !living.includes(line))));
  }

  #keys(): string[] {
    return [...this.#model.rows.keys()].map((id) => this.#keyOf(id));
  }

  #keyOf(id: string): string {
    return id.slice(this.#model.source.length + 1);
  }
}

function idsIn(lines: readonly string[]): string[] {
  return lines.map((line) => (JSON.parse(line) as Row).id as string);
}
