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
