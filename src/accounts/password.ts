import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import { isWellFormed } from '../lib/well_formed.ts';
import { Turnstile } from './turnstile.ts';

type Cost = { readonly logN: number; readonly r: number; readonly p: number };

/** 128 MiB and about a third of a second. */
export const PASSWORD_COST: Cost = { logN: 17, r: 8, p: 1 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/;

/** The hashing of passwords, at most `LIMITS.passwordHashesAtOnceMax` at a time. Past its queue it throws `overloaded`. */
export type Passwords = {
  /** Throws it at once, for who counts attempts: one that is sent away is none. */
  admit(): void;
  /** A text that holds the salt and the cost beside the hash. */
  hash(password: string): Promise<string>;
  /** Takes as long where there is nothing to compare with, and is false. */
  matches(password: string, stored: string | null): Promise<boolean>;
};

export function makePasswords(cost: Cost = PASSWORD_COST): Passwords {
  const turnstile = new Turnstile(LIMITS.passwordHashesAtOnceMax, LIMITS.passwordHashesWaitingMax, 'Too many people are signing in at once. Try again in a moment.');
  const nobody = stored(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
  return {
    admit: () => turnstile.admit(),
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES);
      return stored(cost, salt, await turnstile.pass(() => derive(password, salt, cost)));
    },
    matches: async (password, text) => {
      const { salt, hash, ...known } = parsed(text ?? nobody);
      const same = timingSafeEqual(await turnstile.pass(() => derive(password, salt, known)), hash);
      return same && text !== null;
    },
  };
}

/** The same password typed on another keyboard has the same form; null where the text may be no password. */
export function passwordForm(text: string): string | null {
  // Normalising may lengthen a text eighteenfold: what is too long anyway is not normalised.
  if (text.length > 2 * LIMITS.passwordCharactersMax || !isWellFormed(text)) return null;
  const form = text.normalize('NFKC');
  const characters = Array.from(form).length;
  return characters >= LIMITS.passwordCharactersMin && characters <= LIMITS.passwordCharactersMax ? form : null;
}

function derive(password: string, salt: Uint8Array, { logN, r, p }: Cost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: LIMITS.passwordMemoryBytesMax };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, options, (error, hash) => { if (error === null) resolve(hash); else reject(error); });
  });
}

function stored({ logN, r, p }: Cost, salt: Buffer, hash: Buffer): string {
  return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

function parsed(text: string): Cost & { salt: Buffer; hash: Buffer } {
  const [, logN, r, p, salt, hash] = STORED.exec(text) ?? [];
  if (hash === undefined) throw new Error('A stored password hash is of no known form.');
  return { logN: Number(logN), r: Number(r), p: Number(p), salt: Buffer.from(salt!, 'base64url'), hash: Buffer.from(hash, 'base64url') };
}
