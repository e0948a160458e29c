/** Why nothing was published, in words for the person at the terminal. `usage` where the command was wrong, not the world. */
export class IngestError extends Error {
  override readonly name = 'IngestError';
  readonly usage: boolean;

  constructor(message: string, options: { readonly usage?: boolean; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.usage = options.usage ?? false;
  }
}

/** A file without a byte of text, a mark and blanks aside, or a document without a record: among others it has no rows, alone it is a mistake. */
export class EmptyFile extends IngestError {}

/** The one sentence for a failure of the disk, the data engine or the run itself; null for what is a bug. */
export function worldly(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path } = error as NodeJS.ErrnoException;
  const text = error.message;
  if (code === 'ENOSPC' || /no space left|disk full|max_temp_directory_size|failed to offload/i.test(text)) return 'the disk is full: free some space or move the data folder, then run it again';
  if (isDenied(error)) return `permission denied${path === undefined ? '' : ` (${path})`}: check who owns the files and the data folder`;
  if (code === 'ENOTDIR') return 'a file stands where a folder is to be: move it away, or set LDS_DATA_DIR to another';
  if (/out of memory/i.test(text)) return 'not enough memory for this file: close other programs, or split the file and ingest the parts one after another';
  if (code === 'EROFS') return 'the file system takes no writes: find out why, and mount it for writing';
  if (code === 'EDQUOT') return 'the quota of this user is used up: free some space or raise it, then run it again';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too many files are open: raise the limit (ulimit -n 65536), then run it again';
  if (code === 'EIO') return 'the disk answered EIO: see that it is well';
  return error.name === 'AbortError' || /interrupt/i.test(text) ? 'stopped' : null;
}

/** Denied by the system, as it or the data engine says. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && (/^(EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '') || /permission denied/i.test(error.message));
}

/** What zstd packed only the engine can unpack. */
export const UNPACK_ZSTD = 'unpack it with zstd -d, and ingest the file that comes of it';

/** What the engine says of a file that it cannot read, in words for the person who named it; any other failure as it is. */
export function unreadable(label: string, error: unknown): unknown {
  if (error instanceof IngestError || !(error instanceof Error) || worldly(error) !== null) return error;
  const { message } = error;
  if (/state machine/.test(message)) return new IngestError(`${label} mixes line ends, which cannot be mended in what zstd packed: ${UNPACK_ZSTD}`, { cause: error });
  if (/not latin-1 encoded/.test(message)) return new IngestError(`${label} has letters that Windows has beyond Latin-1, which cannot be read in what zstd packed: ${UNPACK_ZSTD}`, { cause: error });
  if (/not utf-16 encoded|UTF-16 encoding is not supported/.test(message)) return new IngestError(`${label} is in UTF-16, or not wholly so, which cannot be read in what zstd packed: ${UNPACK_ZSTD}`, { cause: error });
  if (/requires too much memory for decoding/.test(message)) return new IngestError(`${label} was packed with a longer window than is unpacked here: unpack it with zstd -d --long=31, and ingest the file that comes of it`, { cause: error });
  const [, said] = /^(?:Invalid Input|Invalid|IO|Conversion) Error: ([^\n]*)/.exec(message) ?? [];
  if (said === undefined) return error;
  const words = said.replaceAll(/ ?["']?[^\s"']*\/input-\d+[^\s"':]*["']?/g, '').replace(/:$/, '');
  return new IngestError(`${label} cannot be read; it is damaged, or of another form than its name or beginning says: ${words}`, { cause: error });
}
