import type { Config } from '../../config/schema.ts';
import { examineRedis, REDIS_MAJOR_MIN } from '../../store/redis/examine.ts';
import { fail, ok, warn, type Check } from './check.ts';

/** Nothing where no Redis is configured. */
export async function checkRedis({ redisUrl }: Config): Promise<Check[]> {
  if (redisUrl === null) return [];
  const found = await examineRedis(redisUrl);
  if (!found.reached) return [fail('redis', `cannot be used (${found.reason})`, 'start Redis, or correct LDS_REDIS_URL; until then each gateway counts caps alone, and the playground is closed')];
  const { version, evicts, roundTripMs, enough } = found;
  if (!enough) return [fail('redis', `version ${version} is too old`, `caps need Redis ${REDIS_MAJOR_MIN} or newer`)];
  if (evicts !== null) return [warn('redis', `version ${version} drops keys when its memory is full (${evicts})`, 'set maxmemory-policy to noeviction: a key that is dropped is a cap that is forgotten')];
  return [ok('redis', `version ${version} answers in ${roundTripMs.toFixed(1)} ms`)];
}
