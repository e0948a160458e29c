import { execFileSync } from 'node:child_process';

/** Why the tests over a server are left out: its Debian package is not installed. Where the tests are run for good that is no excuse. */
export function missing(debianPackage: string, installed: boolean): string | false {
  if (installed) return false;
  if (process.env['CI'] === 'true') throw new Error(`the Debian package ${debianPackage} is not installed`);
  return `the Debian package ${debianPackage} is not installed`;
}

/** As whom a server is to run that refuses to run as root. */
export function userOf(name: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
