import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../config/durable.ts';
import { makeLastingFolder } from '../../config/folder.ts';
import { LIMITS } from '../../config/limits.ts';
import { readDomain } from '../syntax/domain.ts';
import { LIST_NAMES, type ListName } from './lists.ts';

/** Below the data folder. */
export const LISTS_FOLDER = 'lists';

export type OwnLists = Partial<Readonly<Record<ListName, readonly string[]>>>;

/** What a file of names held. `rejected`: which of its lines, or of the entries of its array, are none. */
type ListFile = { readonly names: readonly string[]; readonly rejected: readonly number[]; readonly of: 'line' | 'entry' };

/** Hears of a list whose file cannot be read. */
export type Unreadable = (list: ListName, error: unknown) => void;

/** The operator's lists, `NAME.txt` in their folder; a list without a file is the built-in one, and one that cannot be read is as it was `before`. */
export function readOwnLists(folder: string, unreadable: Unreadable, before: OwnLists = {}): OwnLists {
  const own: Partial<Record<ListName, readonly string[]>> = {};
  for (const name of LIST_NAMES) {
    try {
      const text = readIfThere(fileOf(folder, name));
      if (text !== null) own[name] = parseList(name, text).names;
    } catch (error) {
      unreadable(name, error);
      if (before[name] !== undefined) own[name] = before[name];
    }
  }
  return own;
}

/** Replaces one list as a whole; a running service takes it up within seconds. */
export async function writeOwnList(folder: string, name: ListName, names: readonly string[], source: string, date: string): Promise<void> {
  makeLastingFolder(folder);
  const file = fileOf(folder, name);
  await writeDurably(file, `# ${name}, from ${source.replaceAll(/\s+/g, ' ')}, ${date}\n${names.join('\n')}\n`, `${file}.${process.pid}.new`);
}

/** Names one a line (`#` begins a comment), or a JSON array of strings. Domains become lower-case A-labels. */
export function parseList(list: ListName, text: string): ListFile {
  // What is trimmed is a byte order mark, too, which JSON does not know.
  const bare = text.trimStart();
  const isArray = bare.startsWith('[');
  const names = new Set<string>();
  const rejected: number[] = [];
  for (const [index, entry] of (isArray ? JSON.parse(bare) as unknown[] : text.split('\n')).entries()) {
    const name = typeof entry === 'string' ? entry.replace(/#.*/, '').trim() : null;
    if (name === '') continue;
    const read = name === null ? null : list === 'role' ? roleName(name) : domainName(name);
    if (read === null) rejected.push(index + 1);
    else names.add(read);
  }
  return { names: [...names], rejected, of: isArray ? 'entry' : 'line' };
}

/** Tells `changed` of the lists now, and whenever a file of the folder was replaced. Gives what stops it. */
export function watchOwnLists(folder: string, changed: (own: OwnLists) => void, unreadable: Unreadable, pollMs: number = LIMITS.listsPollMs): () => void {
  let before = stamp(folder);
  let own = readOwnLists(folder, unreadable);
  changed(own);
  const timer = setInterval(() => {
    const after = stamp(folder);
    if (after === before) return;
    before = after;
    own = readOwnLists(folder, unreadable, own);
    changed(own);
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
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

function readIfThere(file: string): string | null {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? null : readFileSync(file, 'utf8');
}

function domainName(name: string): string | null {
  const read = readDomain(name.replace(/^(?:\*?\.|@)/, ''));
  return typeof read === 'string' ? null : read.ascii;
}

function roleName(name: string): string | null {
  return /^[!-?A-~]{1,64}$/.test(name) ? name.toLowerCase() : null;
}
