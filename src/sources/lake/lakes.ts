import { stat } from 'node:fs/promises';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Dataset } from '../../model/dataset.ts';
import type { Manifest } from './manifest.ts';
import { currentPath, lakePlaces, segmentFiles, type LakePlace } from './paths.ts';
import { readCurrent } from './publish.ts';
import { replacedLately } from './retained.ts';
import { sweepUnlessWriting } from './sweep.ts';

export type SegmentFiles = { readonly index: string; readonly rows: string; readonly indexBytes: number; readonly rowsBytes: number; readonly resident: boolean };

/** A sealed segment ready to be mounted, or why it was refused: a short phrase that may leave the house. */
export type LoadedSegment = Mountable | { readonly ok: false; readonly reason: string };
export type Mountable = { readonly ok: true; readonly index: SharedArrayBuffer; readonly rows: SharedArrayBuffer | { readonly file: string; readonly bytes: number } };

/**
 * Loads and verifies segments, in the order asked. The checksums of rows that stay on disk are verified afterwards, in the
 * background; `spoilt` tells of one that does not hold.
 */
export type LoadSegments = (files: readonly SegmentFiles[], spoilt: (file: SegmentFiles) => void) => Promise<readonly LoadedSegment[]>;

/** One published snapshot in memory. Segments stand in the order of the manifest. */
export type Snapshot = { readonly manifest: Manifest; readonly segments: ReadonlyMap<string, Mountable> };

/** A lake source as it is served; `snapshot` is null while none can be. */
export type Lake = { readonly name: string; readonly dataset: Dataset; readonly snapshot: Snapshot | null; readonly trouble: string | null };

/** All lakes at one moment; replaced snapshots stay until their cursors have expired. */
export type LakesState = { readonly lakes: readonly Lake[]; readonly retained: readonly Snapshot[] };

type Watched = { readonly place: LakePlace; stamp: string; lake: Lake };
type Retained = { readonly snapshot: Snapshot; readonly untilMs: number };

/**
 * Serves what is published under DATA_DIR/lake and follows it: a CURRENT that was replaced is noticed within
 * `LIMITS.lakePollMs`, loaded beside the old snapshot, and put in its place when it is whole. A snapshot that is refused never
 * replaces a good one. Snapshots replaced lately are loaded too, at the start, for the cursors that were cut from them.
 */
export class Lakes {
  readonly #dataDir: string;
  readonly #load: LoadSegments;
  readonly #rowsMemoryBytes: number;
  readonly #changed: (state: LakesState) => void;
  readonly #watched = new Map<string, Watched>();
  #retained: Retained[] = [];
  #timer: NodeJS.Timeout | null = null;
  #polling: Promise<void> | null = null;

  constructor(dataDir: string, load: LoadSegments, rowsMemoryBytes: number, changed: (state: LakesState) => void) {
    this.#dataDir = dataDir;
    this.#load = load;
    this.#rowsMemoryBytes = rowsMemoryBytes;
    this.#changed = changed;
  }

  /** Loads all that is there and sweeps what nobody can need, then watches. */
  async open(): Promise<void> {
    await this.reload();
    await sweepAll(await lakePlaces(this.#dataDir));
    this.#timer = setInterval(() => { void this.reload(); }, LIMITS.lakePollMs);
    this.#timer.unref();
  }

  /** Looks now; a look under way is joined. Never rejects: what cannot be loaded is a lake in trouble. */
  reload(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => { this.#polling = null; });
    return this.#polling;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const places = await lakePlaces(this.#dataDir).catch(() => []);
    const expired = this.#expire();
    const forgotten = this.#forgetMissing(places);
    let changed = expired || forgotten;
    for (const place of places) {
      const stamp = await stampOf(currentPath(place.dir));
      const watched = this.#watched.get(place.dir)
        ?? { place, stamp: '', lake: { name: place.source, dataset: place.dataset, snapshot: null, trouble: null } };
      if (stamp === watched.stamp) continue;
      watched.lake = await this.#loadLake(watched.lake, place.dir);
      watched.stamp = stamp;
      if (stamp !== '') this.#watched.set(place.dir, watched);
      changed = true;
    }
    if (changed) this.#changed(this.#state());
    if (expired) await sweepAll(places);
  }

  #state(): LakesState {
    return { lakes: [...this.#watched.values()].map(({ lake }) => lake), retained: this.#retained.map(({ snapshot }) => snapshot) };
  }

  async #loadLake(before: Lake, dir: string): Promise<Lake> {
    const manifest = await readCurrent(dir).catch(() => null);
    if (manifest === null) return { ...before, trouble: 'its manifest cannot be read' };
    const snapshot = await this.#loadSnapshot(dir, manifest, before.snapshot);
    if (typeof snapshot === 'string') return { ...before, trouble: snapshot };
    if (before.snapshot !== null) this.#retain(before.snapshot, LIMITS.snapshotRetainMs);
    else await this.#retainReplaced(dir, snapshot);
    return { ...before, snapshot, trouble: null };
  }

  /** The snapshot, its segments shared with one at hand where they are the same; or why it cannot be served. */
  async #loadSnapshot(dir: string, manifest: Manifest, beside: Snapshot | null): Promise<Snapshot | string> {
    const fresh = manifest.segments.filter(({ id }) => beside?.segments.has(id) !== true);
    let leftBytes = this.#rowsMemoryBytes - this.#heldBytes();
    const files = fresh.map(({ id, indexBytes, rowsBytes }): SegmentFiles => {
      const { index, rows } = segmentFiles(dir, id);
      const resident = rowsBytes <= Math.min(leftBytes, LIMITS.residentRowsBytesMax);
      if (resident) leftBytes -= rowsBytes;
      return { index, rows, indexBytes, rowsBytes, resident };
    });
    const loaded = await this.#load(files, () => this.#quarantine(dir, manifest.snapshot)).catch(() => null);
    if (loaded === null) return 'its segments could not be loaded';
    const segments = new Map<string, Mountable>();
    for (const { id } of manifest.segments) {
      const segment = beside?.segments.get(id) ?? loaded[fresh.findIndex((one) => one.id === id)]!;
      if (!segment.ok) return `a segment was refused: ${segment.reason}`;
      segments.set(id, segment);
    }
    return { manifest, segments };
  }

  async #retainReplaced(dir: string, current: Snapshot): Promise<void> {
    const nowMs = Date.now();
    for (const { manifest, replacedAtMs } of await replacedLately(dir, current.manifest, nowMs).catch(() => [])) {
      const snapshot = await this.#loadSnapshot(dir, manifest, current);
      if (typeof snapshot !== 'string') this.#retain(snapshot, LIMITS.snapshotRetainMs - (nowMs - replacedAtMs));
    }
  }

  #retain(snapshot: Snapshot, forMs: number): void {
    this.#retained.push({ snapshot, untilMs: monotonicMs() + forMs });
  }

  /** Takes a snapshot out of service whose rows turned out not to be what was sealed. */
  #quarantine(dir: string, snapshot: number): void {
    const watched = this.#watched.get(dir);
    if (watched === undefined || watched.lake.snapshot?.manifest.snapshot !== snapshot) return;
    watched.lake = { ...watched.lake, snapshot: null, trouble: 'a segment was refused: rows_checksum' };
    this.#changed(this.#state());
  }

  /** Row bytes are held in memory as long as the budget lasts, first come first served; what does not fit is read from its file. */
  #heldBytes(): number {
    const held = new Set<SharedArrayBuffer>();
    for (const snapshot of [...this.#watched.values()].map(({ lake }) => lake.snapshot).concat(this.#retained.map((one) => one.snapshot))) {
      for (const { rows } of snapshot?.segments.values() ?? []) if (rows instanceof SharedArrayBuffer) held.add(rows);
    }
    return [...held].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  #forgetMissing(places: readonly LakePlace[]): boolean {
    const missing = [...this.#watched.keys()].filter((dir) => !places.some((place) => place.dir === dir));
    for (const dir of missing) this.#watched.delete(dir);
    return missing.length > 0;
  }

  #expire(): boolean {
    const nowMs = monotonicMs();
    const before = this.#retained.length;
    this.#retained = this.#retained.filter(({ untilMs }) => untilMs > nowMs);
    return this.#retained.length < before;
  }
}

/** What cannot be swept now is swept another time. */
async function sweepAll(places: readonly LakePlace[]): Promise<void> {
  for (const { dir } of places) await sweepUnlessWriting(dir, Date.now()).catch(() => []);
}

/** Changes whenever the file is replaced; empty while there is none. */
async function stampOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found === null ? '' : `${found.ino}.${found.mtimeNs}`;
}
