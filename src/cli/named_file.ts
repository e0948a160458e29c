import { access, constants, stat } from 'node:fs/promises';
import { fileFault } from '../lib/file_fault.ts';
import { UsageError } from './command.ts';

/** The bytes of a file that a person named, once it is sure that it can be read; a pipe has none yet. */
export async function namedFileBytes(file: string): Promise<number> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    await access(file, constants.R_OK);
    return found.size;
  } catch (error) {
    const told = fileFault(file, error);
    if (told === null) throw error;
    throw new UsageError(told, { cause: error });
  }
}
