import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { requirePackage } from '../../lib/require_package.ts';

const mailchecker = requirePackage('mailchecker') as typeof import('mailchecker');

/** Throw-away providers, curated. */
export const CURATED: ReadonlySet<string> = disposableEmailBlocklistSet();

/** A wider collection; it names alias services, big providers and their misspellings too. */
const COLLECTED: ReadonlySet<string> = mailchecker.blacklist();

/** Companies and a school that the wider collection names. */
const HONEST = new Set('aver.com compaq.com gynzy.at gynzy.com gynzy.es gynzy.eu gynzy.info gynzy.net gynzy.nl gynzy.org lsmu.com test.de ukmail.com'.split(' '));
/** Registries that admit none but schools, authorities and treaty organisations. */
const CLOSED = /\.(?:edu|gov|mil|int|ac\.uk|gov\.uk|ac\.jp|edu\.au|gov\.au|edu\.sg|gov\.sg)$/;

export function isCalledDisposable(domain: string): boolean {
  return CURATED.has(domain) || (COLLECTED.has(domain) && !HONEST.has(domain) && !CLOSED.test(domain));
}
