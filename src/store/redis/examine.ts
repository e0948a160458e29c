import { Redis } from 'ioredis';
import { LIMITS } from '../../config/limits.ts';
import { selectDatabase } from './connection.ts';
import { REDIS_TIME, scriptsBy } from './scripts.ts';

/** Scripts that write after they have asked for the time need it. */
export const REDIS_MAJOR_MIN = 5;

type RedisFound =
  | { readonly reached: false; /** Without the address, which may hold a password. */ readonly reason: string }
  | {
      readonly reached: true;
      readonly version: string;
      readonly enough: boolean;
      /** The policy by which it drops keys that count, or null. */
      readonly evicts: string | null;
      readonly roundTripMs: number;
    };

/** Looks at a Redis once, by the scripts that it is to run. */
export async function examineRedis(url: string): Promise<RedisFound> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0, connectTimeout: LIMITS.redisConnectMs, commandTimeout: LIMITS.redisConnectMs });
  let lastError: unknown = null;
  redis.on('error', (error: unknown) => { lastError = error; });
  try {
    await redis.connect();
    await selectDatabase(redis);
    const info = await redis.info();
    const version = told(info, 'redis_version');
    const sentMs = performance.now();
    await redis.eval(scriptsBy(REDIS_TIME).visit.lua, 1, 'lds:visits:doctor', 0, 0);
    const roundTripMs = performance.now() - sentMs;
    const policy = told(info, 'maxmemory_policy');
    const bounded = Number(told(info, 'maxmemory')) > 0;
    return { reached: true, version, enough: Number.parseInt(version, 10) >= REDIS_MAJOR_MIN, evicts: bounded && policy !== 'noeviction' ? policy : null, roundTripMs };
  } catch (error) {
    return { reached: false, reason: reasonOf(lastError ?? error) };
  } finally {
    redis.disconnect();
  }
}

function told(info: string, name: string): string {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
}

/** The system's code, or the word with which Redis refuses, such as WRONGPASS: the first, but of a script that failed, where versions before 7 put it later. All words where it has none but ERR. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  if (!(error instanceof Error)) return String(error);
  return /(?<=^ERR .*-)[A-Z]{3,}\b/.exec(error.message)?.[0] ?? /^(?!ERR\b)[A-Z]{3,}\b/.exec(error.message)?.[0] ?? error.message;
}
