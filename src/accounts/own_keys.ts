import { LIMITS } from '../config/limits.ts';
import { charactersIn } from '../lib/characters_in.ts';
import type { Clock } from '../lib/clock.ts';
import { isWellFormed } from '../lib/well_formed.ts';
import type { Key, Store } from '../store/store.ts';
import { type Issued, newKey, rotateKey } from './issue.ts';
import type { Members } from './members.ts';
import type { Visitor } from './sessions.ts';

export type OwnKey = Pick<Key, 'id' | 'kind' | 'name' | 'hint' | 'createdMs' | 'endsMs'> & { readonly state: 'live' | 'ending' | 'ended' };

/** But for the two joiners, which emoji and some scripts are written with. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu;
/** Joiners and the like show nothing by themselves, nor do letters that are blank. */
const VISIBLE = /[^\s\p{DI}\u2800]/u;

/** What a key may be called, for people; null where it may not. */
export function keyName(text: string): string | null {
  const name = text.trim();
  const isSeen = name === '' || VISIBLE.test(name);
  return charactersIn(name, LIMITS.keyNameCharactersMax) && isWellFormed(name) && isSeen && name.search(INVISIBLE) === -1 ? name : null;
}

/** The same of one that a person typed or pasted, without what nobody can see in it: he would look for it in vain. */
export function typedKeyName(text: string): string | null {
  const name = text.replace(INVISIBLE, '');
  return keyName(VISIBLE.test(name) ? name : '');
}

/** What the owner of an account may do with its keys. The key of another account is as one that does not exist: null, or false. */
export class OwnKeys {
  readonly #store: Store;
  readonly #members: Pick<Members, 'limitChanges'>;
  readonly #clock: Clock;

  constructor(store: Store, members: Pick<Members, 'limitChanges'>, clock: Clock) {
    this.#store = store;
    this.#members = members;
    this.#clock = clock;
  }

  /** The newest first; of those that ended only the latest. */
  async list({ account }: Visitor): Promise<OwnKey[]> {
    const nowMs = this.#clock.unixMs();
    const keys = await this.#store.keysOfAccount(account.id, nowMs - LIMITS.keysShownEndedMs, LIMITS.keysShownMax);
    return keys.map(({ id, kind, name, hint, createdMs, endsMs }) => ({ id, kind, name, hint, createdMs, endsMs, state: stateOf(endsMs, nowMs) }));
  }

  /** Null where the account may have no more, or is not active. */
  async create({ account }: Visitor, name: string): Promise<Issued | null> {
    this.#members.limitChanges(account.id);
    const issued = newKey(account.id, 'external', name, this.#clock.unixMs());
    return (await this.#store.addKeyOfAccount(issued.record, LIMITS.keysOfAccountMax)) ? issued : null;
  }

  async rename({ account }: Visitor, id: string, name: string): Promise<boolean> {
    this.#members.limitChanges(account.id);
    return this.#store.renameKey(account.id, id, name);
  }

  /** Null where it does not live. An operator's key is rotated by operators alone: its successor is not for a browser to see. */
  async rotate({ account }: Visitor, id: string, overlapMs: number): Promise<Issued | null> {
    this.#members.limitChanges(account.id);
    const old = await this.#store.keyOfAccount(account.id, id);
    if (old === null || old.kind !== 'external' || account.status !== 'active') return null;
    return rotateKey(this.#store, old, { overlapMs, nowMs: this.#clock.unixMs() });
  }

  async revoke({ account }: Visitor, id: string): Promise<boolean> {
    this.#members.limitChanges(account.id);
    const key = await this.#store.keyOfAccount(account.id, id);
    return key !== null && this.#store.endKey(id, this.#clock.unixMs());
  }
}

function stateOf(endsMs: number | null, nowMs: number): OwnKey['state'] {
  if (endsMs === null) return 'live';
  return endsMs > nowMs ? 'ending' : 'ended';
}
