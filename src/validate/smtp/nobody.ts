import { createHmac, randomBytes } from 'node:crypto';

const SECRET = randomBytes(16);

/** The random name of a domain: nobody has it, and it is the same whenever the domain is asked. A host that greylists takes only a name that it has put off before. */
export function nobodyAt(domain: string): string {
  return createHmac('sha256', SECRET).update(domain).digest('hex').slice(0, 18);
}
