import type { KeyKind, PlanName } from '../model/account.ts';

/** Whoever a key stands for, as long as the request runs. */
export type Caller = { readonly accountId: string; readonly keyId: string; readonly kind: KeyKind; readonly plan: PlanName };

/** As the caps know a caller: all keys of an account share them. */
export type Capped = Pick<Caller, 'accountId' | 'plan'>;
