import type { Config } from '../../config/schema.ts';
import { examineRedis, REDIS_MAJOR_MIN } from '../../store/redis/examine.ts';
import { untilItsCertificateEnds } from './certificate.ts';
import { fail, ok, warn, type Check } from './check.ts';
import { tlsRemedy } from './tls.ts';

const ALONE = 'until then each gateway counts caps alone, and the playground is closed';

/** By the word with which a Redis that runs refuses; of any other reason it is not there. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^OOM$/, 'its memory is full: raise its maxmemory, or give it to nobody else'],
  [/^(READONLY|MASTERDOWN)$/, 'it is a replica: name the server that it follows in LDS_REDIS_URL'],
  [/^MISCONF$/, 'it refuses writes because it cannot save to its disk: make room there, or switch snapshots off (CONFIG SET save "")'],
  [/^NOREPLICAS$/, 'it refuses writes because it has too few replicas: bring them back, or lower its min-replicas-to-write'],
  [/^(NOAUTH|WRONGPASS)$/, 'correct the user and the password in LDS_REDIS_URL'],
  [/^NOPERM$/, 'let its user run INFO, EVAL, EVALSHA and SET, and what the scripts use, on the keys lds:*'],
  [/DB index|SELECT/, 'it has no database of that number: correct the one at the end of LDS_REDIS_URL'],
  [/^LOADING$/, 'it reads its data after a start: wait, or switch off its snapshots and append-only file'],
];

/** Nothing where no Redis is configured. */
export async function checkRedis({ redisUrl }: Config): Promise<Check[]> {
  if (redisUrl === null) return [];
  const found = await examineRedis(redisUrl);
  if (!found.reached) return [fail('redis', `cannot be used (${found.reason})`, `${remedyOf(found.reason)}; ${ALONE}`)];
  const { version, evicts, roundTripMs, enough } = found;
  if (!enough) return [fail('redis', `version ${version} is too old`, `caps need Redis ${REDIS_MAJOR_MIN} or newer`)];
  if (evicts !== null) return [warn('redis', `version ${version} drops keys when its memory is full (${evicts})`, 'set maxmemory-policy to noeviction: a key that is dropped is a cap that is forgotten')];
  return [await untilItsCertificateEnds(ok('redis', `version ${version} answers in ${roundTripMs.toFixed(1)} ms`), redisUrl)];
}

function remedyOf(reason: string): string {
  return REMEDIES.find(([reasons]) => reasons.test(reason))?.[1] ?? tlsRemedy(reason) ?? 'start Redis, or correct LDS_REDIS_URL';
}
