import { mapFile } from '../../segment/mapping.ts';
import type { RowsPlace } from '../../segment/row_bytes.ts';
import { readGone } from './gone.ts';
import { filesToLoad, type LoadSegments, type Mountable, type SegmentToLoad } from './loading.ts';
import type { Manifest } from './manifest.ts';
import { Readers } from './readers.ts';

/** `seen`: the row bytes as this thread reads them; null where it does not. `gone`: numbers of rows, ascending, that are as if they were not there. */
type ServedSegment = Mountable & { readonly seen: Uint8Array | null; readonly gone: Uint32Array };

/** One published snapshot in memory. Segments stand in the order of the manifest. */
export type Snapshot = { readonly dir: string; readonly manifest: Manifest; readonly segments: ReadonlyMap<string, ServedSegment>; readonly readers: Readers };

/** Brings what was published into memory. */
export class SnapshotLoader {
  readonly #load: LoadSegments;
  readonly #mapped: boolean;
  readonly #onSpoilt: (segment: string) => void;
  readonly #onTrouble: (error: unknown) => void;
  /** Segments whose rows turned out not to be what was sealed, since they were loaded last: also while what has them is not served yet. */
  readonly #spoilt = new Set<string>();

  /** `onSpoilt` is told of a segment that may be served no longer, `onTrouble` why something could not be loaded. */
  constructor(load: LoadSegments, mapped: boolean, onSpoilt: (segment: string) => void, onTrouble: (error: unknown) => void) {
    this.#load = load;
    this.#mapped = mapped;
    this.#onSpoilt = onSpoilt;
    this.#onTrouble = onTrouble;
  }

  /** The snapshot, its segments shared with those at hand where they are the same; or why it cannot be served. So many bytes of its rows may be read into memory. */
  async load(dir: string, manifest: Manifest, atHand: readonly Snapshot[], memoryBytes: number): Promise<Snapshot | string> {
    const known = (id: string): ServedSegment | undefined => atHand.find(({ segments }) => segments.has(id))?.segments.get(id);
    const fresh = manifest.segments.filter(({ id }) => known(id) === undefined);
    const same = atHand.find(({ manifest: { snapshot } }) => snapshot === manifest.snapshot);
    if (same !== undefined && fresh.length === 0) return same;
    for (const { id } of fresh) this.#spoilt.delete(id);
    const files = filesToLoad(dir, fresh, { memoryBytes, mapped: this.#mapped });
    const spoilt = (file: SegmentToLoad): void => this.#spoil(fresh[files.indexOf(file)]!.id);
    const gone = await this.#goneRows(dir, manifest, atHand).catch((error: unknown) => { this.#onTrouble(error); });
    if (gone === undefined) return 'a segment was refused: its replaced rows cannot be told';
    const loaded = await this.#load(files, spoilt).catch((error: unknown) => { this.#onTrouble(error); });
    if (loaded === undefined) return 'its segments could not be loaded';
    const segments = new Map<string, ServedSegment>();
    for (const [at, { id }] of manifest.segments.entries()) {
      const shared = known(id);
      const segment = shared ?? loaded[fresh.findIndex((one) => one.id === id)]!;
      if (!segment.ok) return `a segment was refused: ${segment.reason}`;
      segments.set(id, { ...segment, seen: shared === undefined ? this.#seen(segment.rows) : shared.seen, gone: gone[at]! });
    }
    return { dir, manifest, segments, readers: new Readers() };
  }

  /** Of each segment; those that a snapshot at hand has too are taken from there. */
  #goneRows(dir: string, { segments }: Manifest, atHand: readonly Snapshot[]): Promise<Uint32Array[]> {
    return Promise.all(segments.map(({ id, gone }) => {
      const one = atHand.find(({ manifest }) => manifest.segments.some((had) => had.id === id && had.gone?.id === gone?.id));
      return one === undefined ? readGone(dir, gone) : one.segments.get(id)!.gone;
    }));
  }

  isSpoilt(snapshot: Snapshot | null): boolean {
    return snapshot !== null && this.#spoilt.size > 0 && snapshot.manifest.segments.some(({ id }) => this.#spoilt.has(id));
  }

  #spoil(segment: string): void {
    this.#spoilt.add(segment);
    this.#onSpoilt(segment);
  }

  /** Never closed: calls may still hold rows of it when its snapshot is gone, so it ends when nobody does. */
  #seen(rows: RowsPlace): Uint8Array | null {
    if (rows instanceof SharedArrayBuffer) return new Uint8Array(rows);
    try {
      return rows.mapped ? mapFile(rows.file)?.bytes ?? null : null;
    } catch (error) {
      this.#onTrouble(error);
      return null;
    }
  }
}
