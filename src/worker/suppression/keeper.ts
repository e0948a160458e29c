import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.ts';
import { setBit } from '../../lib/bits.ts';
import { Suppressions, SuppressionSets } from '../../model/suppression/suppressions.ts';
import { domainsAbove } from '../../model/suppression/term.ts';
import type { SegmentMount } from '../../segment/mount.ts';
import { closeSegment, openSegment, type Segment } from '../../segment/reader.ts';
import { markSuppressed, type Sought } from '../../segment/suppressed_rows.ts';
import type { SuppressionChange, SuppressionStore } from '../../store/suppression_store.ts';
import type { DeadRows, KeptAnswer, Question } from './protocol.ts';

type Kept = { readonly segment: Segment; dead: SharedArrayBuffer | null };

/** Told what changed, before whoever asked for it is answered. */
type Told = (change: { readonly shared: SuppressionSets['shared']; readonly dead: readonly DeadRows[] }) => void;

/** The suppressions of the store in memory, and the rows of every segment that they take out. Follows the store, whoever writes to it. */
export class Keeper {
  readonly #store: SuppressionStore;
  readonly #told: Told;
  readonly #segments = new Map<number, Kept>();
  #sets = new SuppressionSets();
  #revision = 0;
  /** Changes that were applied since a segment under examination was begun. */
  readonly #examined = new Map<number, SuppressionChange[]>();
  #following: Promise<void> = Promise.resolve();

  constructor(store: SuppressionStore, told: Told) {
    this.#store = store;
    this.#told = told;
  }

  /** Reads all there is. */
  async open(): Promise<void> {
    this.#sets = new SuppressionSets(await this.#store.suppressionCounts());
    for (let changes = await this.#read(LIMITS.suppressionEntriesInRead); changes.length > 0; changes = await this.#read(LIMITS.suppressionEntriesInRead)) {
      this.#take(changes);
      await turnOfTheLoop();
    }
    this.#told({ shared: this.#sets.shared, dead: [] });
  }

  /** Takes over what changed in the store up to now. */
  follow(): Promise<void> {
    this.#following = this.#following.catch(() => {}).then(() => this.#follow());
    return this.#following;
  }

  async ask(question: Question): Promise<KeptAnswer> {
    if (question.verb === 'list') return this.#store.suppressions(question.of, question);
    const changed = question.verb === 'add' ? await this.#store.addSuppressions(question.terms, question.nowMs) : await this.#store.removeSuppressions(question.terms);
    await this.follow();
    return changed;
  }

  /** The rows of a segment that are suppressed now; from then on the segment is followed, until it is forgotten. */
  async examine(number: number, { index, rows }: Pick<SegmentMount, 'index' | 'rows'>): Promise<SharedArrayBuffer | null> {
    const segment = openSegment(index, rows, { trusted: true });
    try {
      return await this.#examine(number, segment);
    } catch (error) {
      closeSegment(segment);
      throw error;
    } finally {
      this.#examined.delete(number);
    }
  }

  /** One that is being examined will not be followed either. */
  forget(number: number): void {
    this.#examined.delete(number);
    const kept = this.#segments.get(number);
    this.#segments.delete(number);
    if (kept !== undefined) closeSegment(kept.segment);
  }

  /** In slices, so that changes are taken over meanwhile; what they change is looked for afterwards, and what they remove begins it anew. */
  async #examine(number: number, segment: Segment): Promise<SharedArrayBuffer | null> {
    for (;;) {
      const since: SuppressionChange[] = [];
      this.#examined.set(number, since);
      const marks = new Marks(segment.rows, null);
      for (const _ of markSuppressed(segment, new Suppressions(this.#sets.shared), (row) => marks.set(row))) await turnOfTheLoop();
      if (this.#examined.get(number) !== since) throw new Error('the segment was forgotten while it was examined');
      if (since.every(({ present }) => present)) {
        for (const _ of markSuppressed(segment, soughtIn(since), (row) => marks.set(row)));
        // In one step with the look at what changed since: whatever changes later finds the segment here.
        this.#segments.set(number, { segment, dead: marks.shared });
        return marks.shared;
      }
    }
  }

  async #follow(): Promise<void> {
    for (let changes = await this.#read(); changes.length > 0; changes = await this.#read()) {
      const fresh = this.#take(changes);
      const sought = fresh.every(({ present }) => present) ? soughtIn(fresh) : null;
      const dead: DeadRows[] = [];
      for (const [number, kept] of this.#segments) {
        const before = kept.dead;
        kept.dead = this.#marked(kept, sought);
        if (kept.dead !== before) dead.push({ number, dead: kept.dead });
        await turnOfTheLoop();
      }
      if (fresh.length > 0) this.#told({ shared: this.#sets.shared, dead });
    }
  }

  /** With nothing sought in particular all is looked for anew. */
  #marked({ segment, dead }: Kept, sought: Sought | null): SharedArrayBuffer | null {
    const marks = new Marks(segment.rows, sought === null ? null : dead);
    for (const _ of markSuppressed(segment, sought ?? new Suppressions(this.#sets.shared), (row) => marks.set(row)));
    return marks.shared;
  }

  #read(rowsMax: number = LIMITS.suppressionChangesInRead): Promise<SuppressionChange[]> {
    return this.#store.suppressionChanges(this.#revision, rowsMax);
  }

  /** Those of the changes that the sets did not know. */
  #take(changes: readonly SuppressionChange[]): SuppressionChange[] {
    const fresh = changes.filter((change) => (change.present ? this.#sets.add(change) : this.#sets.remove(change)));
    this.#revision = changes.at(-1)!.revision;
    for (const since of this.#examined.values()) since.push(...fresh);
    return fresh;
  }
}

/** The dead rows of a segment: those it had, and more. A buffer that threads have is never changed. */
class Marks {
  readonly #rows: number;
  readonly #before: SharedArrayBuffer | null;
  #bits: Int32Array | null = null;

  constructor(rows: number, before: SharedArrayBuffer | null) {
    this.#rows = rows;
    this.#before = before;
  }

  get shared(): SharedArrayBuffer | null {
    return this.#bits === null ? this.#before : (this.#bits.buffer as SharedArrayBuffer);
  }

  set(row: number): void {
    this.#bits ??= this.#copy();
    setBit(this.#bits, row);
  }

  #copy(): Int32Array {
    const bits = new Int32Array(new SharedArrayBuffer(((this.#rows + 31) >>> 5) * 4));
    if (this.#before !== null) bits.set(new Int32Array(this.#before));
    return bits;
  }
}

/** The terms of some changes, to look for. Few domains are compared as texts, which is faster than by their digests. */
function soughtIn(changes: readonly SuppressionChange[]): Sought {
  const sets = new SuppressionSets({ email: changes.length, linkedin_url: changes.length });
  for (const change of changes) sets.add(change);
  const suppressions = new Suppressions(sets.shared);
  const domains = new Set(changes.filter(({ kind }) => kind === 'domain').map(({ value }) => value));
  return {
    count: (kind) => suppressions.count(kind),
    mayHave: (kind, first) => suppressions.mayHave(kind, first),
    isSuppressed: (row) => suppressions.isSuppressed(row),
    hasDomain: (domain) => [...domainsAbove(domain)].some((above) => domains.has(above)),
  };
}
