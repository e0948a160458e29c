import { basename, join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { makeDataFolder } from '../config/folder.ts';
import { LIMITS } from '../config/limits.ts';
import { writeFault } from '../lib/file_fault.ts';
import { LIST_NAMES, type ListName } from '../validate/lists/lists.ts';
import { LISTS_FOLDER, parseList, writeOwnList } from '../validate/lists/own.ts';
import { EXIT, IN_DATA_FOLDER, UsageError, type Command, type CommandInput } from './command.ts';
import { counted } from './counted.ts';
import { namedStream } from './named_file.ts';
import { oneOf } from './words.ts';

const HELP = `Usage:
  lds lists update FILE [--list disposable|relay|role|free]

Replaces one of the lists that email validation uses, as a whole, with the names in FILE: one per line (# begins a
comment), or a JSON array of strings; - is standard input. A running gateway takes it up within ${LIMITS.listsPollMs / 1_000} seconds.
Lists that you do not replace are the built-in ones.

Options:
  --list NAME   which list (default disposable)

Example:
  lds lists update disposable_email_blocklist.conf --list disposable

${IN_DATA_FOLDER}
Exits with 0 when done, 1 when it failed, 2 for a mistake in the command or the configuration.
`;

export const listsCommand: Command = {
  help: HELP, options: { list: { type: 'string' } }, run,
};

async function run({ values, files, terminal, config }: CommandInput): Promise<number> {
  const [verb, file, ...more] = files;
  if (verb !== 'update' || file === undefined || more.length > 0) throw new UsageError('Say update and one file.');
  const list = oneOf(values, 'list', LIST_NAMES) ?? 'disposable';
  const { names, rejected, of } = parsed(list, file, await textOf(file, terminal.signal));
  if (names.size === 0) throw new Error(`${basename(file)} holds no name; the list stays as it was.`);
  const { dataDir } = await config();
  makeDataFolder(dataDir);
  await writeOwnList(join(dataDir, LISTS_FOLDER), list, names, basename(file), new Date().toISOString().slice(0, 10)).catch((cause: unknown) => {
    throw new Error(`${writeFault(`the list ${list} in ${dataDir}`, cause)}. What was in use stays.`, { cause });
  });
  if (rejected.length > 0) terminal.note(`${counted(rejected.length, `${of} is no name:`, `${SEVERAL[of]} are no names, the first is`)} ${of} ${rejected[0]!}\n`);
  await terminal.out(`${list}: ${counted(names.size, 'name')}\n`);
  return EXIT.done;
}

const SEVERAL = { line: 'lines', entry: 'entries' } as const;

function parsed(list: ListName, file: string, text: string): ReturnType<typeof parseList> {
  try {
    return parseList(list, text);
  } catch (error) {
    throw new Error(`${basename(file)} begins as a JSON array and is none: ${(error as Error).message}`, { cause: error });
  }
}

/** Of a pipe nobody knows beforehand how much there is, and one whose writer is told to end when this command is would leave half a list. */
async function textOf(file: string, signal: AbortSignal): Promise<string> {
  const { stream } = await namedStream(file);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > LIMITS.listFileBytesMax) throw new Error(`${basename(file)} is larger than ${LIMITS.listFileBytesMax} bytes.`);
  }
  signal.throwIfAborted();
  return Buffer.concat(pieces).toString();
}
