import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { SourceFailure } from '../source.ts';
import { stopped, unlessStopped } from '../stopped.ts';
import { inTurn, type Connections } from './connect.ts';
import { fileLiteral } from './dialect.ts';
import { findFiles, isThere, type Whereabouts } from './find_files.ts';

/** A file that can be read. `mark` stands for its name where a caller may see it, and orders the files: one that comes or goes moves no other. */
export type File = { readonly path: string; readonly mark: string; readonly rows: number };

/**
 * The files of a source at one moment, in the order of their marks. `missing` tells what is there too, and cannot be read; null where all can.
 * `partsDiffer`: some lie in folders such as `country=US` that others lack.
 */
export type Files = { readonly sound: readonly File[]; readonly missing: string | null; readonly partsDiffer: boolean; readonly signature: string };

/** `state` tells a file from what it was before; null where it is there, and nothing can be told of it. */
type Seen = { readonly path: string; readonly state: string | null };
type There = Seen & { readonly state: string };
type Looked = { readonly state: string; readonly rows: number | null };

/** Knows the files of one path. They may change at any time: they are looked for anew, as often as that is cheap. */
export class FileList {
  readonly #place: Whereabouts;
  readonly #connections: Connections;
  /** What was found in each file, for as long as it is the same. */
  #known = new Map<string, Looked>();
  #listing: Promise<Files> | null = null;
  #keptUntilMs = 0;

  constructor(place: Whereabouts, connections: Connections) {
    this.#place = place;
    this.#connections = connections;
  }

  /** All who ask while they are looked for share the answer. */
  now(signal: AbortSignal): Promise<Files> {
    if (signal.aborted) return Promise.reject(stopped());
    if (this.#listing === null || monotonicMs() >= this.#keptUntilMs) this.#listing = this.#begin();
    return unlessStopped(this.#listing, signal);
  }

  /** One that is under way is awaited: where it takes longer than whoever asked for it waits, none would come to its end. */
  forget(): void { if (this.#keptUntilMs !== Infinity) this.#keptUntilMs = 0; }

  #begin(): Promise<Files> {
    this.#keptUntilMs = Infinity;
    const listing = this.#timed();
    listing.catch(() => { this.#keptUntilMs = 0; });
    return listing;
  }

  async #timed(): Promise<Files> {
    const begunMs = monotonicMs();
    const files = await this.#list(AbortSignal.timeout(LIMITS.parquetLookMs));
    const tookMs = monotonicMs() - begunMs;
    this.#keptUntilMs = monotonicMs() + Math.min(LIMITS.parquetFilesKeptMsMax, Math.max(LIMITS.parquetFilesKeptMs, tookMs * LIMITS.parquetListingsApart));
    return files;
  }

  async #list(signal: AbortSignal): Promise<Files> {
    const { paths, unseen } = await inTurn('short', signal, () => findFiles(this.#place, signal));
    if (paths.length > LIMITS.parquetFilesMax) throw new SourceFailure('refused', `there are ${paths.length} files, more than ${LIMITS.parquetFilesMax}`);
    const seen = (await Promise.all(paths.map(seenAt))).filter((one) => one !== null);
    const states = seen.filter((one): one is There => one.state !== null);
    if (states.length === 0) throw new SourceFailure('unreachable', `no file matches ${this.#place.pattern}${seen.length + unseen > 0 ? ' that can be looked at' : ''}`);
    const known = new Map(states.flatMap(({ path, state }) => { const looked = this.#known.get(path); return looked?.state === state ? [[path, looked] as const] : []; }));
    const fresh = states.filter(({ path }) => !known.has(path));
    for (let at = 0; at < fresh.length; at += LIMITS.parquetFilesAtOnce) {
      for (const [path, looked] of await this.#look(fresh.slice(at, at + LIMITS.parquetFilesAtOnce), signal)) {
        known.set(path, looked);
        // Where time runs out over the others the next look goes on from here.
        this.#known.set(path, looked);
      }
    }
    this.#known = known;
    const sound = states.flatMap(({ path }) => { const { rows: count } = known.get(path)!; return count === null ? [] : [{ path, mark: this.#mark(path), rows: count }]; });
    if (sound.length === 0) throw new SourceFailure('malformed', `none of the ${states.length} files can be read`);
    return {
      sound: sound.toSorted((a, b) => (a.mark < b.mark ? -1 : 1)),
      missing: missingOf(seen.length - sound.length, seen.length, unseen),
      partsDiffer: new Set(sound.map(({ path }) => partsOf(path))).size > 1,
      signature: createHash('sha256').update(JSON.stringify([seen.map(({ path, state }) => [path, state, known.get(path)?.rows]), unseen])).digest('base64url'),
    };
  }

  async #look(fresh: readonly There[], signal: AbortSignal): Promise<(readonly [string, Looked])[]> {
    const rows = await this.#inspect(fresh.map(({ path }) => path), signal);
    return fresh.map(({ path, state }) => [path, rows.has(path) ? lookedAt(state, rows.get(path)!) : { state, rows: null }] as const);
  }

  /** The rows of each file, or why it cannot be read. One that is broken spoils the look at all of them: they are then looked at one by one. */
  async #inspect(paths: readonly string[], signal: AbortSignal): Promise<Map<string, number | SourceFailure>> {
    if (paths.length === 0) return new Map();
    try {
      const found = await this.#connections.all(`SELECT file_name, num_rows::DOUBLE FROM parquet_file_metadata([${paths.map(fileLiteral).join(', ')}])`, 'short', signal);
      return new Map(found as [string, number][]);
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceFailure)) throw error;
      if (paths.length === 1) return new Map([[paths[0]!, error]]);
      const half = Math.ceil(paths.length / 2);
      return new Map([...await this.#inspect(paths.slice(0, half), signal), ...await this.#inspect(paths.slice(half), signal)]);
    }
  }

  #mark(path: string): string {
    return createHash('sha256').update(relative(this.#place.folder, path)).digest('hex').slice(0, 16);
  }
}

/** The names of what the folders of a path are parts by, as the engine reads them. */
function partsOf(path: string): string {
  const parts = path.split('/').slice(0, -1).filter((folder) => /^[^=?\n]+=[^=?\n]*$/.test(folder)).map((folder) => folder.slice(0, folder.indexOf('=')));
  return [...new Set(parts)].toSorted().join('/');
}

/** Of a file that is no such file that is known until it changes. What else kept it from being read, want of memory or of handles, may be over the next time. */
function lookedAt(state: string, found: number | SourceFailure): Looked {
  if (typeof found === 'number') return { state, rows: found };
  return { state: found.code === 'malformed' ? state : '', rows: null };
}

/** Null where there is no file. */
async function seenAt(path: string): Promise<Seen | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? { path, state: `${found.ino}.${found.size}.${found.mtimeMs}.${found.ctimeMs}` } : null;
  } catch (error) {
    return await isThere(path, error) ? { path, state: null } : null;
  }
}

function missingOf(broken: number, files: number, unseen: number): string | null {
  const parts = [
    ...(broken === 0 ? [] : [`${broken} of ${files} files cannot be read`]),
    ...(unseen === 0 ? [] : [`${unseen} ${unseen === 1 ? 'folder' : 'folders'} cannot be looked into`]),
  ];
  return parts.join('; ') || null;
}
