import { readdirSync, readFileSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isDenied, worldly } from '../ingest/failure.ts';
import type { CommandInput } from './command.ts';

/** What commands and the service both write in the data folder. */
const WRITTEN = ['lake', 'rejects', 'lists', 'store.sqlite'];
/** `lake/DATASET/SOURCE/segments/FILE`. */
const DEPTH_MAX = 5;
const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o044;

/** What is in the data folder of `owner` and is another's, who keeps him from writing into it, or from reading it. */
type Foreign = { readonly found: string; readonly whose: string; readonly owner: string; readonly does: 'write into' | 'read' };

/** The first of it, as a command leaves it that root ran; null where there is none. Where the data folder is root's, it is to be that of `self`. */
export function foreignIn(dataDir: string, self = ownUid()): Foreign | null {
  const owner = ownerOf(dataDir) || self;
  if (owner === 0) return null;
  for (const name of WRITTEN) {
    for (const { path, stats } of below(join(dataDir, name))) {
      const shared = (stats.mode & (stats.isDirectory() ? OTHERS_WRITE : OTHERS_READ)) !== 0;
      if (stats.uid !== owner && !shared) return { found: path, whose: userName(stats.uid), owner: userName(owner), does: stats.isDirectory() ? 'write into' : 'read' };
    }
  }
  return null;
}

/** As `worldly`, and who is the owner of what the data folder denied. */
export async function worldlyIn(config: CommandInput['config'], error: unknown): Promise<string | null> {
  if (!isDenied(error)) return worldly(error);
  const { dataDir } = await config();
  return (String(error).includes(dataDir) ? deniedIn(dataDir) : null) ?? worldly(error);
}

/** Null where owners do not tell why. */
export function deniedIn(dataDir: string, self = ownUid()): string | null {
  const owner = ownerOf(dataDir);
  if (owner !== 0 && owner !== self) return `permission denied: ${dataDir} belongs to the user ${userName(owner)}: run it as this one`;
  const foreign = foreignIn(dataDir, self);
  if (foreign === null) return null;
  const { found, whose, does, owner: named } = foreign;
  return `permission denied: ${found} belongs to the user ${whose}, and the user ${named} may not ${does} it: run it as the user who runs the service, and if that is ${named}, first chown -R ${named} ${dataDir}/`;
}

/** Root where there are no owners. */
function ownUid(): number {
  return process.geteuid?.() ?? 0;
}

function ownerOf(path: string): number {
  try {
    return statSync(path).uid;
  } catch {
    return 0;
  }
}

/** A path with all below it, as far as this user sees it. */
function* below(path: string, depth = DEPTH_MAX): Generator<{ readonly path: string; readonly stats: Stats }> {
  let names: string[];
  try {
    const stats = statSync(path);
    yield { path, stats };
    names = stats.isDirectory() && depth > 1 ? readdirSync(path) : [];
  } catch {
    return;
  }
  for (const name of names) yield* below(join(path, name), depth - 1);
}

/** As `chown` takes it: the number of one that is not in the file of users. */
function userName(uid: number): string {
  let users = '';
  try {
    users = readFileSync('/etc/passwd', 'utf8');
  } catch {
    // Then all have numbers alone.
  }
  return users.split('\n').map((line) => line.split(':')).find(([, , number]) => number === String(uid))?.[0] ?? String(uid);
}
