import { tidy } from '../../../src/ingest/normalise/text.ts';
import type { IngestSummary } from '../../../src/ingest/ingest.ts';
import type { Mode } from '../../../src/ingest/mode.ts';
import type { Dataset } from '../../../src/model/dataset.ts';
import type { Row } from '../../../src/model/field.ts';
import { vocabulary, type ExtraField } from '../../../src/model/vocabulary.ts';
import { MARKER, type Given } from './given.ts';

export type Told = Pick<IngestSummary, 'added' | 'replaced' | 'kept' | 'removed' | 'rows' | 'read' | 'repeats' | 'unkeyed'> & { readonly refused: number };

/** What an ingest is to say; null where it is to fail, since no record could be used. `publishes`: whether there is to be a new snapshot. */
type Ingested = { readonly told: Told; readonly publishes: boolean } | null;

/** A source as a plain map. */
export class Model {
  readonly dataset: Dataset;
  readonly source: string;
  rows = new Map<string, Row>();
  extras: readonly ExtraField[] = [];
  exists = false;
  /** Markers of erased rows, which no file may have any more, unless they came back with a record that says the same. */
  readonly banned = new Set<string>();
  /** Of all versions of a row that were ever published. */
  readonly #markers = new Map<string, Set<string>>();

  constructor(dataset: Dataset, source: string) {
    this.dataset = dataset;
    this.source = source;
  }

  ingest(records: readonly Given[], mode: Mode, declared: readonly ExtraField[], inFull: boolean): Ingested {
    const before = this.rows;
    const known = mode === 'append' ? before : new Map<string, Row>();
    const sound = records.filter(({ row }) => row !== null);
    if (sound.length === 0) return null;
    const usable = sound.filter(({ row }) => !known.has(row!.id as string));
    const fresh = new Map(usable.map(({ row }) => [row!.id as string, row!]));
    const replaced = mode === 'upsert' ? [...fresh.keys()].filter((id) => before.has(id)).length : 0;
    const isSame = mode === 'upsert' && [...fresh].every(([id, row]) => before.has(id) && this.line(before.get(id)!) === this.line(row));
    const publishes = !this.exists || inFull || (!isSame && fresh.size > 0);
    this.extras = mode === 'replace' ? declared : this.widened(declared);
    this.rows = mode === 'replace' ? fresh : new Map([...before, ...fresh]);
    this.exists = true;
    for (const [id, row] of fresh) this.#note(id, row);
    const told: Told = {
      added: fresh.size - replaced, replaced, kept: mode === 'replace' ? 0 : before.size - replaced, removed: mode === 'replace' ? before.size : 0, rows: this.rows.size,
      read: records.length, repeats: usable.length - fresh.size, refused: records.length - usable.length, unkeyed: 0,
    };
    return { told: { ...told, unkeyed: [...fresh.values()].filter((row) => usable.some((given) => given.row === row && given.key === null)).length }, publishes };
  }

  /** Takes the rows of the keys in a list out, and says how many there were. */
  erase(lines: readonly string[]): { readonly asked: number; readonly erased: number; readonly kept: number } {
    const keys = new Set(lines.map((line) => line.trim()).filter((line) => line !== '').map((line) => (line.startsWith(`${this.source}:`) ? line.slice(this.source.length + 1) : line)));
    const ids = new Set([...keys].flatMap((key) => [key, tidy(key)]).map((key) => `${this.source}:${key}`));
    const before = this.rows.size;
    this.rows = new Map([...this.rows].filter(([id]) => !ids.has(id)));
    for (const id of ids) for (const marker of this.#markers.get(id) ?? []) this.banned.add(marker);
    return { asked: keys.size, erased: before - this.rows.size, kept: this.rows.size };
  }

  /** The columns of the operator's, and what the source has beside them. */
  widened(declared: readonly ExtraField[]): readonly ExtraField[] {
    return [...declared, ...this.extras.filter(({ name }) => !declared.some((extra) => extra.name === name))];
  }

  /** The text of a row as it is served. */
  line(row: Row): string {
    return JSON.stringify(Object.fromEntries(vocabulary(this.dataset, this.extras).fields.map(({ name }) => [name, row[name] ?? null])));
  }

  lines(): string[] {
    return [...this.rows.values()].map((row) => this.line(row));
  }

  #note(id: string, row: Row): void {
    const markers = this.#markers.get(id) ?? new Set();
    this.#markers.set(id, markers);
    for (const [marker] of JSON.stringify(row).matchAll(MARKER)) {
      markers.add(marker);
      this.banned.delete(marker);
    }
  }
}
