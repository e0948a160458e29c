import { readFile } from 'node:fs/promises';
import { LIMITS } from '../../config/limits.ts';
import { UsageError } from '../command.ts';
import { namedFileBytes } from '../named_file.ts';

/** A search as it stands in the file: the gateway checks it. */
export type SearchLine = { readonly line: number; readonly body: Buffer };

export async function readSearches(path: string): Promise<SearchLine[]> {
  const searches = searchLines(await bytesOf(path));
  if (searches.length === 0) throw new UsageError(`There is no search in ${path}.`);
  if (searches.length > LIMITS.benchSearchesMax) throw new UsageError(`${path} has more than ${LIMITS.benchSearchesMax.toLocaleString('en')} searches.`);
  return searches;
}

async function bytesOf(path: string): Promise<Buffer> {
  if ((await namedFileBytes(path)) > LIMITS.benchSearchesBytesMax) throw new UsageError(`${path} has more than ${LIMITS.benchSearchesBytesMax / 1_048_576} MiB.`);
  return readFile(path);
}

/** One for each line that is not blank, numbered as an editor does. */
export function searchLines(bytes: Buffer): SearchLine[] {
  return bytes.toString('utf8').split('\n').flatMap((text, at) => (text.trim() === '' ? [] : [{ line: at + 1, body: Buffer.from(text.trim()) }]));
}
