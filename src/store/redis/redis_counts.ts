import type { SharedAnswer, SharedCount, SharedCounts, SharedHold, SharedVisits } from '../shared_counts.ts';
import { LIMITS } from '../../config/limits.ts';
import { RedisConnection, type Reply } from './connection.ts';
import { REDIS_TIME, scriptsBy, type ScriptClock } from './scripts.ts';

export type RedisCountsSettings = {
  readonly url: string;
  /** Told once when Redis is lost, or cannot be used from the start, and once when it is there. */
  readonly onChange: (reachable: boolean, error: unknown) => void;
  readonly replyMs?: number;
  /** Redis's own unless a test says otherwise. */
  readonly clock?: ScriptClock;
};

/** Resolves when it is known whether Redis answers: one that does not is no reason not to start. */
export async function openRedisCounts({ url, onChange, replyMs, clock = REDIS_TIME }: RedisCountsSettings): Promise<SharedCounts> {
  const redis = new RedisConnection(url, scriptsBy(clock), { onChange, ...(replyMs === undefined ? {} : { replyMs }) });
  await redis.opened();
  return countsOver(redis, clock.args);
}

function countsOver(redis: RedisConnection, timed: ScriptClock['args']): SharedCounts {
  return {
    get reachable() { return redis.reachable; },
    get epoch() { return redis.epoch; },
    async admit({ accountId, id, units, requestsMax, unitsMax, concurrentMax, known }, onLate) {
      const args = [...keysOf(accountId), id, units, requestsMax, unitsMax, concurrentMax, known?.day ?? '', known?.units ?? '', ...timed()];
      return answered(await redis.ask('admit', args, (reply) => onLate(answerOf(reply))));
    },
    async reserve({ accountId, hold, units, unitsMax, known }) {
      const args = [...keysOf(accountId), hold.id, units, unitsMax, hold.day, hold.reserved, hold.firm, known?.day ?? '', known?.units ?? '', ...timed()];
      return answered(await redis.ask('reserve', args));
    },
    settle(accountId, { id, day, firm }, used, onLost) {
      redis.tell('settle', [...keysOf(accountId), id, day, firm, used, ...timed()], onLost);
    },
    renew(accountId, holds) {
      for (let start = 0; start < holds.length; start += LIMITS.sharedCallsInRenewal) {
        const some = holds.slice(start, start + LIMITS.sharedCallsInRenewal);
        redis.tell('renew', [...keysOf(accountId), ...some.flatMap(({ id, day, reserved, firm }: SharedHold) => [id, day, reserved, firm]), ...timed()]);
      }
    },
    know(accountId, { day, units }, onLost) {
      redis.tell('know', [...keysOf(accountId), day, units, ...timed()], onLost);
    },
    async look(accountId) {
      const reply = await redis.ask('look', [...keysOf(accountId), ...timed()]);
      return reply === null || reply[0] === -1 ? null : countOf(reply);
    },
    async visit(name, { day, calls }) {
      const reply = await redis.ask('visit', [`lds:visits:${name}`, day, calls, ...timed()]);
      return reply === null ? null : visitsOf(reply);
    },
    health: () => (redis.reachable ? { status: 'ok', detail: 'reachable' } : { status: 'degraded', detail: 'unreachable: this gateway counts caps alone, and its playground is closed' }),
    close: () => redis.close(),
  };
}

/** In one slot of a cluster, by what stands in braces. */
function keysOf(accountId: string): string[] {
  const stem = `lds:{${accountId}}:`;
  return [`${stem}burst`, `${stem}calls`, `${stem}units`, `${stem}holds`];
}

function answered(reply: Reply | null): SharedAnswer | null {
  return reply === null ? null : answerOf(reply);
}

function answerOf(reply: Reply): SharedAnswer {
  const verdict = reply[0] === 1 ? 'granted' : reply[0] === 0 ? 'refused' : 'unknown_day';
  return { verdict, count: countOf(reply) };
}

function countOf(reply: Reply): SharedCount {
  const [, day, used, held, inFlight, burstUsed, burstResetMs, burstWaitMs, untilMidnightMs] = reply as readonly [number, number, number, number, number, number, number, number, number];
  return { day, used, held, inFlight, burstUsed, burstResetMs, burstWaitMs, untilMidnightMs };
}

function visitsOf(reply: Reply): SharedVisits {
  const [calls, day, untilMidnightMs] = reply as readonly [number, number, number];
  return { calls, day, untilMidnightMs };
}
