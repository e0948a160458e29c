import { createRequire } from 'node:module';
import { join } from 'node:path';

export type Peer = { readonly name: string; readonly accepts: (email: string) => boolean };

type Loaded = Record<string, unknown>;
type Accepts = (email: string) => unknown;

/** How each peer is asked; the packages are no dependencies of this project. */
const PEERS: readonly { readonly name: string; readonly from: string; readonly bind: (loaded: Loaded) => Peer['accepts'] }[] = [
  { name: '@hapi/address', from: '@hapi/address', bind: ({ isEmailValid }) => (email) => (isEmailValid as (email: string, options: object) => unknown)(email, { minDomainSegments: 2 }) === true },
  { name: 'isemail', from: 'isemail', bind: ({ validate }) => (email) => (validate as (email: string, options: object) => unknown)(email, { minDomainAtoms: 2 }) === true },
  { name: 'validator', from: 'validator', bind: ({ isEmail }) => (email) => (isEmail as Accepts)(email) === true },
  { name: 'deep-email-validator', from: 'deep-email-validator/dist/regex/regex.js', bind: ({ isEmail }) => (email) => (isEmail as Accepts)(email) === undefined },
  {
    name: 'zod', from: 'zod', bind: ({ z }) => {
      const schema = (z as { email(): { safeParse(email: string): { success: boolean } } }).email();
      return (email) => schema.safeParse(email).success;
    },
  },
];

/** Those that are installed below the folder that `LDS_BENCH_PEERS` names. */
export function openPeers(): Peer[] {
  const folder = process.env['LDS_BENCH_PEERS'];
  if (folder === undefined) return [];
  const load = createRequire(join(folder, 'package.json'));
  return PEERS.flatMap(({ name, from, bind }) => {
    try {
      return [{ name, accepts: unlessItThrows(bind(load(from) as Loaded)) }];
    } catch {
      return [];
    }
  });
}

/** One of them throws on an unpaired surrogate; that is a refusal. */
function unlessItThrows(accepts: Peer['accepts']): Peer['accepts'] {
  return (email) => {
    try {
      return accepts(email);
    } catch {
      return false;
    }
  };
}
