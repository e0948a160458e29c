import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../../config/durable.ts';
import { makeLastingFolder } from '../../config/folder.ts';
import { LIMITS } from '../../config/limits.ts';
import { nextTurn, turnIsOver } from '../../lib/turns.ts';
import { readDomain } from '../syntax/domain.ts';
import { LIST_NAMES, type ListName } from './lists.ts';

/** Below the data folder. */
export const LISTS_FOLDER = 'lists';

export type OwnLists = Partial<Readonly<Record<ListName, ReadonlySet<string>>>>;

/** What a file of names held. `rejected`: which of its lines, or of the entries of its array, are none. */
type ListFile = { readonly names: ReadonlySet<string>; readonly rejected: readonly number[]; readonly of: 'line' | 'entry' };

/** Hears of a list whose file cannot be read. */
export type Unreadable = (list: ListName, error: unknown) => void;

/** The operator's lists, `NAME.txt` in their folder; a list without a file is the built-in one. */
export function readOwnLists(folder: string, unreadable: Unreadable): OwnLists {
  const own: Partial<Record<ListName, ReadonlySet<string>>> = {};
  for (const name of LIST_NAMES) {
    try {
      const file = fileOf(folder, name);
      if (isThere(file)) own[name] = parseList(name, readFileSync(file, 'utf8')).names;
    } catch (error) {
      unreadable(name, error);
    }
  }
  return own;
}

/** As `readOwnLists`, a little in each turn of the loop: a list may have millions of names. One that cannot be read is as it was `before`. */
async function readAmongCalls(folder: string, unreadable: Unreadable, before: OwnLists): Promise<OwnLists> {
  const own: Partial<Record<ListName, ReadonlySet<string>>> = {};
  for (const name of LIST_NAMES) {
    try {
      const file = fileOf(folder, name);
      if (!isThere(file)) continue;
      const reading = new ListReading(name, await readFile(file, 'utf8'));
      while (reading.step()) if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
      own[name] = reading.names;
    } catch (error) {
      unreadable(name, error);
      if (before[name] !== undefined) own[name] = before[name];
    }
  }
  return own;
}

/** Replaces one list as a whole; a running service takes it up within seconds. */
export async function writeOwnList(folder: string, name: ListName, names: Iterable<string>, source: string, date: string): Promise<void> {
  makeLastingFolder(folder);
  const file = fileOf(folder, name);
  await writeDurably(file, `# ${name}, from ${source.replaceAll(/\s+/g, ' ')}, ${date}\n${[...names].join('\n')}\n`, `${file}.${process.pid}.new`);
}

/** Names one a line (`#` begins a comment), or a JSON array of strings. Domains become lower-case A-labels. */
export function parseList(list: ListName, text: string): ListFile {
  const reading = new ListReading(list, text);
  while (reading.step());
  return reading;
}

class ListReading implements ListFile {
  readonly names = new Set<string>();
  readonly rejected: number[] = [];
  readonly of: 'line' | 'entry';
  readonly #nameOf: (text: string) => string | null;
  readonly #entries: Iterator<unknown>;
  #place = 0;

  constructor(list: ListName, text: string) {
    // What is trimmed is a byte order mark, too, which JSON does not know.
    const bare = text.trimStart();
    const isArray = bare.startsWith('[');
    this.of = isArray ? 'entry' : 'line';
    this.#nameOf = list === 'role' ? roleName : domainName;
    this.#entries = isArray ? (JSON.parse(bare) as unknown[]).values() : linesOf(text);
  }

  /** Reads one more; false behind the last. */
  step(): boolean {
    const { value, done } = this.#entries.next();
    if (done === true) return false;
    this.#place += 1;
    const written = typeof value === 'string' ? value.replace(/#.*/, '').trim() : null;
    if (written === '') return true;
    const name = written === null ? null : this.#nameOf(written);
    if (name === null) this.rejected.push(this.#place);
    else this.names.add(name);
    return true;
  }
}

/** One at a time: to cut a long text into all of them at once takes its time. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from);
    yield text.slice(from, end === -1 ? text.length : end);
    from = end === -1 ? text.length : end + 1;
  }
}

/** Tells `changed` of the lists now, and whenever a file of the folder was replaced. Gives what stops it. */
export function watchOwnLists(folder: string, changed: (own: OwnLists) => void, unreadable: Unreadable, pollMs: number = LIMITS.listsPollMs): () => void {
  let before = stamp(folder);
  let own = readOwnLists(folder, unreadable);
  let isReading = false;
  let isOver = false;
  changed(own);
  const readAnew = async (): Promise<void> => {
    isReading = true;
    own = await readAmongCalls(folder, unreadable, own);
    isReading = false;
    if (!isOver) changed(own);
  };
  const timer = setInterval(() => {
    const after = stamp(folder);
    if (isReading || after === before) return;
    before = after;
    void readAnew();
  }, pollMs);
  timer.unref();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

function stamp(folder: string): string {
  return LIST_NAMES.map((name) => stampOf(fileOf(folder, name))).join(' ');
}

/** Of a folder that is another user's nothing is to be seen; when that changes, so does the stamp. */
function stampOf(file: string): string {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? '-' : `${stat.mtimeMs}:${stat.ctimeMs}:${stat.size}:${stat.ino}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

function fileOf(folder: string, name: ListName): string {
  return join(folder, `${name}.txt`);
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function domainName(name: string): string | null {
  const read = readDomain(name.replace(/^(?:\*?\.|@)/, ''));
  return typeof read === 'string' ? null : read.ascii;
}

function roleName(name: string): string | null {
  return /^[!-?A-~]{1,64}$/.test(name) ? name.toLowerCase() : null;
}
