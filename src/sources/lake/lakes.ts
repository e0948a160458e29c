import { LIMITS } from '../../config/limits.ts';
import { systemClock, type Clock } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import { DATASETS, type Dataset } from '../../model/dataset.ts';
import { currentNumber, readCurrent } from './current.ts';
import { stampOf } from './file_stamp.ts';
import { LeftMappings } from './left_mappings.ts';
import { heldBytes, type LoadSegments, type RowsBudget } from './loading.ts';
import { currentPath, lakePlaces, snapshotPath, type LakePlace } from './paths.ts';
import { ReadMarks, type SnapshotPlace } from './read_marks.ts';
import { replacedLately } from './retained.ts';
import { Retention } from './retention.ts';
import { SnapshotLoader, type Snapshot } from './snapshot.ts';
import { Sweeping, type Serving } from './sweeping.ts';

/** A lake source as it is served; `snapshot` is null while none can be. */
export type Lake = { readonly name: string; readonly dataset: Dataset; readonly snapshot: Snapshot | null; readonly trouble: string | null };

type Named = Pick<Lake, 'name' | 'dataset'>;

/**
 * All lakes at one moment. Replaced snapshots are `retained` until their cursors have expired, and then `held` until no call reads them. Of those that
 * are `restoring` more will be retained, which was replaced before they were seen first.
 */
export type LakesState = { readonly lakes: readonly Lake[]; readonly retained: readonly Snapshot[]; readonly held: readonly Snapshot[]; readonly restoring: readonly Named[] };

/** `tried`: the stamp that could not be loaded the last time, which is tried again at `retryAtMs`. `sinceMs`: when the snapshot was seen first. */
type Watched = { stamp: string; lake: Lake; sinceMs: number; failures: number; tried: string | null; retryAtMs: number };

/** A lake of which what was replaced lately is still to be loaded, and those snapshots once they are known. */
type Restoring = { readonly lake: Named; readonly current: Snapshot; places: readonly SnapshotPlace[] };

/**
 * Serves what is published under DATA_DIR/lake and follows it: what is published is noticed within
 * `LIMITS.lakePollMs`, loaded beside the old snapshot, and put in its place when it is whole. A snapshot that is refused never
 * replaces a good one. Snapshots replaced lately are loaded too, for the cursors that were cut from them, once what is current is served.
 */
export class Lakes {
  readonly #dataDir: string;
  readonly #loader: SnapshotLoader;
  readonly #memoryBytes: number;
  readonly #changed: (state: LakesState) => void;
  readonly #onTrouble: (error: unknown) => void;
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();
  readonly #retention = new Retention<Snapshot>();
  /** One after the other. */
  readonly #restoring = new Set<Restoring>();
  #isRestoring = false;
  readonly #marks: ReadMarks;
  readonly #sweeping: Sweeping;
  readonly #left = new LeftMappings();
  #timer: NodeJS.Timeout | null = null;
  #polling: Promise<void> | null = null;
  #closed = false;
  /** Why the folder could not be looked at the last time; what was served goes on. */
  #blind: string | null = null;

  /** `onTrouble` is told of what could not be looked at or loaded; it is tried again. */
  constructor(
    dataDir: string, load: LoadSegments, rows: RowsBudget, changed: (state: LakesState) => void, onTrouble: (error: unknown) => void = () => {}, clock: Clock = systemClock,
  ) {
    this.#clock = clock;
    this.#sweeping = new Sweeping(clock);
    this.#dataDir = dataDir;
    this.#onTrouble = onTrouble;
    this.#marks = new ReadMarks((error) => onTrouble(new Error('it cannot be told to others which snapshots are being read', { cause: error })));
    this.#loader = new SnapshotLoader(load, rows.mapped, (segment) => this.#quarantine(segment), onTrouble);
    this.#memoryBytes = rows.memoryBytes;
    this.#changed = changed;
  }

  /** Loads all that is current and sweeps what nobody can need, then watches. */
  async open(): Promise<void> {
    await this.reload();
    if (!this.#closed) await this.#sweep(await lakePlaces(this.#dataDir).catch(() => []));
    if (this.#closed) return;
    this.#timer = setInterval(() => { void this.reload(); }, LIMITS.lakePollMs);
    this.#timer.unref();
  }

  /** Looks now; a look under way is joined. Never rejects: what cannot be looked at or loaded is a lake in trouble. */
  reload(): Promise<void> {
    this.#polling ??= this.#poll().catch(this.#onTrouble).finally(() => { this.#polling = null; });
    return this.#polling;
  }

  /** As `reload`, and tries once more what could not be loaded of one lake though nothing was published since. */
  async look(name: string): Promise<void> {
    await this.#polling;
    for (const watched of this.#watched.values()) {
      if (watched.lake.name !== name || watched.lake.trouble === null) continue;
      watched.stamp = '';
      watched.retryAtMs = 0;
    }
    await this.reload();
  }

  /** Does not wait for what is being loaded, which may take minutes: nothing is told of it any more. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#polling !== null) await within(this.#polling, LIMITS.lakesCloseMs);
    await this.#marks.close();
  }

  /** A folder that cannot be read is no empty one: then everything stays as it is, and says so. */
  async #poll(): Promise<void> {
    let places: LakePlace[];
    try {
      places = await lakePlaces(this.#dataDir);
    } catch (error) {
      return this.#goBlind(error);
    }
    const expired = this.#retention.expire(this.#clock.monotonicMs());
    const forgotten = this.#forgetMissing(places);
    let changed = expired || forgotten || this.#blind !== null;
    this.#blind = null;
    for (const place of places) changed = (await this.#follow(place)) || changed;
    if (this.#closed) return;
    if (changed) this.#changed(this.#state());
    await this.#marks.keep([...this.#snapshots().map(placeOf), ...[...this.#restoring].flatMap(({ places: theirs }) => theirs)]);
    if (!this.#isRestoring) void this.#restoreAll().catch(this.#onTrouble).finally(() => { this.#isRestoring = false; });
    if (expired) this.#sweeping.hasten();
    if (this.#sweeping.due) await this.#sweep(places);
    this.#left.look(this.#snapshots(), this.#clock.monotonicMs());
  }

  #sweep(places: readonly LakePlace[]): Promise<void> {
    return this.#sweeping.run(new Map(places.map(({ dir }) => [dir, servingOf(this.#watched.get(dir))])));
  }

  #goBlind(error: unknown): void {
    if (this.#blind !== null) return;
    this.#blind = 'its folder cannot be read at the moment';
    this.#onTrouble(error);
    this.#changed(this.#state());
  }

  /** True where there is something new to tell of the place. What failed to load is tried again, each time after a longer while; what is published meanwhile, at once. */
  async #follow(place: LakePlace): Promise<boolean> {
    const watched = this.#watched.get(place.dir) ?? newWatched(place);
    const stamp = await publishedStamp(place.dir).catch(() => 'untold');
    // What was tried since the good one failed, also where that is back: it is loaded again, to be well.
    if (stamp === watched.stamp && watched.tried === null) return false;
    if (stamp === watched.tried && this.#clock.monotonicMs() < watched.retryAtMs) return false;
    const before = watched.lake;
    const seenMs = this.#clock.monotonicMs();
    const lake = await this.#loadLake(before, place.dir);
    if (lake === null) return this.#watched.delete(place.dir);
    watched.lake = this.#loader.isSpoilt(lake.snapshot) ? { ...lake, snapshot: null, trouble: SPOILT } : lake;
    if (watched.lake.snapshot !== before.snapshot) watched.sinceMs = seenMs;
    const failed = watched.lake.trouble !== null;
    watched.failures = failed ? watched.failures + 1 : 0;
    watched.retryAtMs = failed ? this.#clock.monotonicMs() + Math.min(LIMITS.lakeRetryMsMax, LIMITS.lakePollMs * 2 ** watched.failures) : 0;
    watched.tried = failed ? stamp : null;
    if (!failed) watched.stamp = stamp;
    this.#watched.set(place.dir, watched);
    return watched.lake.trouble !== before.trouble || watched.lake.snapshot !== before.snapshot;
  }

  #state(): LakesState {
    const lakes = [...this.#watched.values()].map(({ lake }) => (this.#blind === null ? lake : { ...lake, trouble: lake.trouble ?? this.#blind }));
    const { retained, held } = this.#retention;
    const restoring = [...this.#restoring].map(({ lake }) => lake);
    return { lakes: lakes.length === 0 && this.#blind !== null ? unseenLakes(this.#blind) : lakes, retained, held, restoring };
  }

  /** All that is in memory. */
  #snapshots(): Snapshot[] {
    return [...[...this.#watched.values()].flatMap(({ lake }) => lake.snapshot ?? []), ...this.#retention.retained, ...this.#retention.held];
  }

  /** Null for one that was never published. */
  async #loadLake(before: Lake, dir: string): Promise<Lake | null> {
    const manifest = await readCurrent(dir).catch((error: unknown) => { this.#onTrouble(error); });
    if (manifest === null && before.snapshot === null) return null;
    if (manifest === null || manifest === undefined) return { ...before, trouble: 'its manifest cannot be read' };
    await this.#marks.make({ dir, snapshot: manifest.snapshot });
    const atHand = before.snapshot === null ? [] : [before.snapshot];
    const snapshot = await this.#loader.load(dir, manifest, atHand, this.#memoryBytes - heldBytes(this.#snapshots()));
    if (typeof snapshot === 'string') return { ...before, trouble: snapshot };
    if (this.#sharesLost(snapshot, atHand)) return { ...before, snapshot: null, trouble: SPOILT };
    if (snapshot !== before.snapshot) this.#dropDoubles(snapshot, atHand);
    if (before.snapshot === null) this.#restoring.add({ lake: { name: before.name, dataset: before.dataset }, current: snapshot, places: [] });
    else if (snapshot !== before.snapshot) this.#retain(before.snapshot, LIMITS.snapshotRetainMs);
    return { ...before, snapshot, trouble: null };
  }

  /** Whether it shares a segment with one that was taken out of service while it was loaded: what is suppressed in that nobody marks any more. */
  #sharesLost({ segments }: Snapshot, atHand: readonly Snapshot[]): boolean {
    const served = new Set(this.#snapshots());
    return atHand.some((one) => !served.has(one) && [...segments.keys()].some((id) => one.segments.has(id)));
  }

  /** Where a folder was away for a while, or what was published before is put back: of each segment there is one, the one that was loaded last. */
  #dropDoubles({ segments }: Snapshot, atHand: readonly Snapshot[]): void {
    for (const id of segments.keys()) if (!atHand.some((one) => one.segments.has(id))) this.#retention.drop(id);
  }

  /** Where nothing was served before, the folder tells what was replaced. All that is current comes first, and of what was replaced one snapshot at a time. */
  async #restoreAll(): Promise<void> {
    this.#isRestoring = true;
    for (const restoring of this.#restoring) {
      await this.#restore(restoring).catch(this.#onTrouble);
      this.#restoring.delete(restoring);
      if (this.#closed) return;
      this.#changed(this.#state());
    }
  }

  /** That takes no memory for rows, which are read for some minutes more. */
  async #restore(restoring: Restoring): Promise<void> {
    const { current, current: { dir } } = restoring;
    const replaced = await replacedLately(dir, current.manifest, this.#clock.unixMs()).catch(() => []);
    const loaded = new Set<Snapshot>();
    restoring.places = replaced.map(({ manifest: { snapshot } }) => ({ dir, snapshot }));
    for (const { manifest, replacedAtMs } of replaced) {
      await this.#marks.make({ dir, snapshot: manifest.snapshot });
      // More than that only by a clock that was ahead when it was replaced.
      const forMs = Math.min(LIMITS.snapshotRetainMs, replacedAtMs + LIMITS.snapshotRetainMs - this.#clock.unixMs());
      // What goes on from another one restores beside that.
      if (this.#closed || !this.#snapshots().includes(current)) return;
      // Somebody may have swept it before the mark was there.
      if (forMs <= 0) continue;
      const atHand = [current, ...this.#retention.retained.filter((one) => loaded.has(one))];
      const snapshot = await this.#loader.load(dir, manifest, atHand, 0);
      if (this.#closed) return;
      if (typeof snapshot === 'string' || this.#sharesLost(snapshot, atHand) || this.#servesElse(snapshot)) continue;
      this.#dropDoubles(snapshot, atHand);
      loaded.add(snapshot);
      this.#retain(snapshot, forMs);
      this.#changed(this.#state());
    }
  }

  /** Whether it was put back meanwhile, and is served as it was loaded then. */
  #servesElse({ segments }: Snapshot): boolean {
    return [...this.#watched.values()].some(({ lake }) => [...lake.snapshot?.segments ?? []].some(([id, segment]) => segments.has(id) && segments.get(id)!.index !== segment.index));
  }

  #retain(snapshot: Snapshot, forMs: number): void {
    if (!this.#loader.isSpoilt(snapshot)) this.#retention.add(snapshot, this.#clock.monotonicMs() + forMs);
  }

  /** Takes every snapshot out of service that has a segment whose rows turned out not to be what was sealed. */
  #quarantine(segment: string): void {
    for (const watched of this.#watched.values()) {
      if (watched.lake.snapshot?.segments.has(segment) === true) watched.lake = { ...watched.lake, snapshot: null, trouble: SPOILT };
    }
    this.#retention.drop(segment);
    this.#changed(this.#state());
  }

  #forgetMissing(places: readonly LakePlace[]): boolean {
    const missing = [...this.#watched.keys()].filter((dir) => !places.some((place) => place.dir === dir));
    for (const dir of missing) {
      const { snapshot } = this.#watched.get(dir)!.lake;
      if (snapshot !== null) this.#retain(snapshot, LIMITS.snapshotRetainMs);
      this.#watched.delete(dir);
    }
    return missing.length > 0;
  }
}

/** Of the manifest too: of a lake that was made anew elsewhere, and is copied over this one, CURRENT may come before another manifest of the same number. */
async function publishedStamp(dir: string): Promise<string> {
  const stamp = await stampOf(currentPath(dir));
  const number = await currentNumber(dir).catch(() => 0);
  return number === 0 ? stamp : `${stamp} ${await stampOf(snapshotPath(dir, number))}`;
}

const SPOILT = 'a segment was refused: rows_checksum';

/** In the place of all lakes, of which not even the names are known: that there are none nobody has said. */
function unseenLakes(trouble: string): Lake[] {
  return DATASETS.map((dataset) => ({ name: 'lakes', dataset, snapshot: null, trouble }));
}

function newWatched({ source, dataset }: LakePlace): Watched {
  return { stamp: 'unseen', lake: { name: source, dataset, snapshot: null, trouble: null }, sinceMs: 0, failures: 0, tried: null, retryAtMs: 0 };
}

function servingOf(watched: Watched | undefined): Serving | null {
  const snapshot = watched?.lake.snapshot ?? null;
  return snapshot === null ? null : { snapshot: snapshot.manifest.snapshot, sinceMs: watched!.sinceMs };
}

function placeOf({ dir, manifest: { snapshot } }: Snapshot): SnapshotPlace {
  return { dir, snapshot };
}
