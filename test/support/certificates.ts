import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missing, userOf } from './servers/debian.ts';

/** Why there can be none; false where there can. */
export const NO_OPENSSL = missing('openssl', existsSync('/usr/bin/openssl'));

type Certificate = { readonly cert: string; readonly key: string };

/** An authority of a test's own, and what it vouches for: files that a server of the user postgres may read, too. */
export class Authority {
  readonly folder = mkdtempSync(join(tmpdir(), 'lds-authority-'));
  readonly cert = join(this.folder, 'authority.pem');
  readonly #key = join(this.folder, 'authority.key');
  #made = 0;

  constructor() {
    this.#own(this.folder);
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', this.#key, '-out', this.cert, '-days', '40', '-subj', '/CN=an authority');
  }

  /** For these names, such as `DNS:localhost`. */
  certificate(names: string, { days = 30, digest = 'sha256' }: { readonly days?: number; readonly digest?: string } = {}): Certificate {
    this.#made += 1;
    const at = (end: string): string => join(this.folder, `${this.#made}.${end}`);
    const made = { cert: at('pem'), key: at('key') };
    writeFileSync(at('names'), `subjectAltName=${names}\n`);
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', made.key, '-out', at('request'), '-subj', `/CN=number ${this.#made}`);
    openssl('x509', '-req', `-${digest}`, '-in', at('request'), '-CA', this.cert, '-CAkey', this.#key, '-set_serial', String(this.#made), '-days', String(days), '-extfile', at('names'), '-out', made.cert);
    this.#own(made.key);
    return made;
  }

  remove(): void { rmSync(this.folder, { recursive: true }); }

  #own(path: string): void {
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = userOf('postgres');
    chownSync(path, uid!, gid!);
  }
}

function openssl(...words: readonly string[]): void {
  execFileSync('/usr/bin/openssl', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}
