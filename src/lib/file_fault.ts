/** Why a file that a person named cannot be read, in the one sentence of every command; null for what is no fault of the name. */
export function fileFault(named: string, error: unknown): string | null {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT': case 'ENOTDIR': return `${named === '' ? 'an empty name' : named}: no such file`;
    case 'EACCES': case 'EPERM': return `${named} cannot be read: permission denied`;
    case 'EISDIR': return `${named} is a folder, not a file`;
    case 'ELOOP': return `${named} is a link that leads to itself`;
    case 'ENAMETOOLONG': return `${named.slice(0, 64)}... is too long for the name of a file`;
    default: return null;
  }
}

/** Why it cannot be written, with what the system calls that. */
export function writeFault(named: string, error: unknown): string {
  const { code = 'unknown', message } = error as NodeJS.ErrnoException;
  const reason = NOT_WRITTEN[code];
  return `${named === '' ? 'an empty name' : named} cannot be written: ${reason === undefined ? message : `${reason} (${code})`}`;
}

/** Rather than of the name that was given. */
export function isOfDisk(error: unknown): boolean {
  return Object.hasOwn(OF_DISK, (error as NodeJS.ErrnoException).code ?? '');
}

const OF_DISK: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'its owner has no more room on the disk',
  EFBIG: 'it would be larger than a file may be',
  EIO: 'the disk fails',
};

/** Why nothing can be written or made under a name. */
export const OF_PLACE: Readonly<Record<string, string>> = {
  EROFS: 'its file system takes no writes',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'a file stands where a folder is to be',
  ELOOP: 'a link leads to itself',
  ENAMETOOLONG: 'its name is too long',
};

const NOT_WRITTEN: Readonly<Record<string, string>> = { ...OF_DISK, ...OF_PLACE, ENOENT: 'there is no such folder', EISDIR: 'it is a folder' };
