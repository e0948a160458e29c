import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { DATASETS, type Dataset } from '../../model/dataset.ts';
import { SOURCE_NAME } from '../../config/sources.ts';
import type { Manifest } from './manifest.ts';
import { readCurrent } from './publish.ts';

export type SegmentFiles = { readonly index: string; readonly rows: string; readonly indexBytes: number; readonly rowsBytes: number; readonly resident: boolean };

/** A sealed segment ready to be mounted, or why it was refused: a short phrase that may leave the house. */
export type LoadedSegment =
  | { readonly ok: true; readonly index: SharedArrayBuffer; readonly rows: SharedArrayBuffer | { readonly file: string; readonly bytes: number } }
  | { readonly ok: false; readonly reason: string };

/**
 * Loads and verifies segments, in the order asked. The checksums of rows that stay on disk are verified afterwards, in the
 * background; `spoilt` tells of one that does not hold.
 */
export type LoadSegments = (files: readonly SegmentFiles[], spoilt: (file: SegmentFiles) => void) => Promise<readonly LoadedSegment[]>;

/** One published snapshot in memory. Segments stand in the order of the manifest. */
export type Snapshot = { readonly manifest: Manifest; readonly segments: ReadonlyMap<string, LoadedSegment & { ok: true }> };

/** A lake source as it is served; `snapshot` is null while none can be. */
export type Lake = { readonly name: string; readonly dataset: Dataset; readonly snapshot: Snapshot | null; readonly trouble: string | null };

/** All lakes at one moment; replaced snapshots stay until their cursors have expired. */
export type LakesState = { readonly lakes: readonly Lake[]; readonly retained: readonly Snapshot[] };

type Watched = { readonly folder: string; stamp: string; lake: Lake };
type Retained = { readonly snapshot: Snapshot; readonly untilMs: number };

/**
 * Serves what is published under DATA_DIR/lake and follows it: a CURRENT that was replaced is noticed within
 * `LIMITS.lakePollMs`, loaded beside the old snapshot, and put in its place when it is whole. A snapshot that is refused never
 * replaces a good one.
 */
export class Lakes {
  readonly #root: string;
  readonly #load: LoadSegments;
  readonly #rowsMemoryBytes: number;
  readonly #changed: (state: LakesState) => void;
  readonly #watched = new Map<string, Watched>();
  #retained: Retained[] = [];
  #timer: NodeJS.Timeout | null = null;
  #polling: Promise<void> | null = null;

  constructor(root: string, load: LoadSegments, rowsMemoryBytes: number, changed: (state: LakesState) => void) {
    this.#root = root;
    this.#load = load;
    this.#rowsMemoryBytes = rowsMemoryBytes;
    this.#changed = changed;
  }

  /** Loads all that is there, then watches. */
  async open(): Promise<void> {
    await this.reload();
    this.#timer = setInterval(() => { void this.reload(); }, LIMITS.lakePollMs);
    this.#timer.unref();
  }

  /** Looks now; a look under way is joined. */
  reload(): Promise<void> {
    this.#polling ??= this.#poll().finally(() => { this.#polling = null; });
    return this.#polling;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const found = await findFolders(this.#root);
    let changed = this.#expire() || this.#forgetMissing(found);
    for (const { key, folder, name, dataset } of found) {
      const stamp = await stampOf(join(folder, 'CURRENT'));
      const watched = this.#watched.get(key) ?? { folder, stamp: '', lake: { name, dataset, snapshot: null, trouble: null } };
      if (stamp === watched.stamp) continue;
      watched.lake = await this.#loadLake(watched.lake, folder);
      watched.stamp = stamp;
      if (stamp !== '') this.#watched.set(key, watched);
      changed = true;
    }
    if (changed) this.#changed(this.#state());
  }

  #state(): LakesState {
    return { lakes: [...this.#watched.values()].map(({ lake }) => lake), retained: this.#retained.map(({ snapshot }) => snapshot) };
  }

  async #loadLake(before: Lake, folder: string): Promise<Lake> {
    const manifest = await readCurrent(folder).catch(() => null);
    if (manifest === null) return { ...before, trouble: 'its manifest cannot be read' };
    const fresh = manifest.segments.filter(({ id }) => before.snapshot?.segments.has(id) !== true);
    const loaded = await this.#load(
      fresh.map((segment) => ({ ...filesOf(folder, segment), resident: this.#fits(segment.rowsBytes) })),
      () => this.#quarantine(folder, manifest.snapshot));
    const refused = loaded.find((one) => !one.ok);
    if (refused !== undefined && !refused.ok) return { ...before, trouble: `a segment was refused: ${refused.reason}` };
    const segments = new Map<string, LoadedSegment & { ok: true }>();
    for (const { id } of manifest.segments) {
      const at = fresh.findIndex((segment) => segment.id === id);
      segments.set(id, at === -1 ? before.snapshot!.segments.get(id)! : (loaded[at] as LoadedSegment & { ok: true }));
    }
    if (before.snapshot !== null) this.#retained.push({ snapshot: before.snapshot, untilMs: monotonicMs() + LIMITS.snapshotRetainMs });
    return { ...before, snapshot: { manifest, segments }, trouble: null };
  }

  /** Takes a snapshot out of service whose rows turned out not to be what was sealed. */
  #quarantine(folder: string, snapshot: number): void {
    for (const watched of this.#watched.values()) {
      if (watched.folder !== folder || watched.lake.snapshot?.manifest.snapshot !== snapshot) continue;
      watched.lake = { ...watched.lake, snapshot: null, trouble: 'a segment was refused: rows_checksum' };
      this.#changed(this.#state());
    }
  }

  /** Row bytes are held in memory as long as the budget lasts, first come first served; what does not fit is read from its file. */
  #fits(rowsBytes: number): boolean {
    const snapshots = [...this.#watched.values()].map(({ lake }) => lake.snapshot).concat(this.#retained.map(({ snapshot }) => snapshot));
    const held = new Set<SharedArrayBuffer>();
    for (const snapshot of snapshots) {
      for (const { rows } of snapshot?.segments.values() ?? []) if (rows instanceof SharedArrayBuffer) held.add(rows);
    }
    const heldBytes = [...held].reduce((sum, { byteLength }) => sum + byteLength, 0);
    return rowsBytes <= LIMITS.residentRowsBytesMax && heldBytes + rowsBytes <= this.#rowsMemoryBytes;
  }

  #forgetMissing(found: readonly Folder[]): boolean {
    const present = new Set(found.map(({ key }) => key));
    const missing = [...this.#watched.keys()].filter((key) => !present.has(key));
    for (const key of missing) this.#watched.delete(key);
    return missing.length > 0;
  }

  #expire(): boolean {
    const nowMs = monotonicMs();
    const before = this.#retained.length;
    this.#retained = this.#retained.filter(({ untilMs }) => untilMs > nowMs);
    return this.#retained.length < before;
  }
}

type Folder = { readonly key: string; readonly folder: string; readonly name: string; readonly dataset: Dataset };

async function findFolders(root: string): Promise<Folder[]> {
  const found: Folder[] = [];
  for (const dataset of DATASETS) {
    const names = await readdir(join(root, dataset)).catch(() => []);
    for (const name of names.filter((one) => SOURCE_NAME.test(one)).sort()) {
      found.push({ key: `${dataset}/${name}`, folder: join(root, dataset, name), name, dataset });
    }
  }
  return found;
}

/** Changes whenever the file is replaced; empty while there is none. */
async function stampOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found === null ? '' : `${found.ino}.${found.mtimeNs}`;
}

function filesOf(folder: string, segment: Manifest['segments'][number]): Omit<SegmentFiles, 'resident'> {
  const base = join(folder, 'segments', segment.id);
  return { index: `${base}.index`, rows: `${base}.rows`, indexBytes: segment.indexBytes, rowsBytes: segment.rowsBytes };
}
