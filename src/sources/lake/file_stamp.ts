import { stat } from 'node:fs/promises';

/** Changes whenever the file is replaced; empty while there is none. Rejects where that cannot be told. */
export async function stampOf(file: string): Promise<string> {
  try {
    const { ino, mtimeNs } = await stat(file, { bigint: true });
    return `${ino}.${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
