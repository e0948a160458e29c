import { LIMITS } from '../../config/limits.ts';

/**
 * What Redis runs, each script as one indivisible step. Times are microseconds of Redis's own clock, the one clock of all gateways:
 * whole numbers that a double holds exactly. Of one account, and in one slot of a cluster:
 *
 *   burst   list     when calls were let in, the latest first; none older than the window
 *   calls   sorted   calls under way → until when they count unless they are renewed
 *   units   hash     day, used (absent: nobody has said yet), held
 *   holds   hash     of each call under way: ID → units reserved on that day; ID/firm → the part that is used for certain
 *
 * `held` is the sum of reserved less firm over the calls. A reply is {verdict, day, used, held, calls, burst, three waits}.
 */

/** Where the scripts have the time from, in microseconds. */
export type ScriptClock = {
  readonly lua: string;
  /** What is sent along with each script, after all else. */
  readonly args: () => readonly number[];
};
export const REDIS_TIME: ScriptClock = { lua: "local time = redis.call('TIME') return time[1] * 1000000 + time[2]", args: () => [] };

const micros = (ms: number): string => String(ms * 1_000);

const opening = (clock: string): string => `
local function clock() ${clock} end
local function whole(number) return string.format('%.0f', number) end
local DAY, WINDOW, LEASE, KEPT_MS = ${micros(86_400_000)}, ${micros(LIMITS.burstWindowMs)}, ${micros(LIMITS.sharedLeaseMs)}, ${LIMITS.sharedKeptMs}
local now = clock()
local today = math.floor(now / DAY)
-- As turnedDay of lib/day.
local function turned(day) return not day or today > day or today < day - 1 end
`;

/** Reads the account as it stands now: a day once left does not return but where the clock falls by days, calls that nobody renewed are over, old requests are out of the window. */
const ACCOUNT = `
local BURST, CALLS, UNITS, HOLDS = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local units = redis.call('HMGET', UNITS, 'day', 'used', 'held')
local day, used, held = tonumber(units[1]), tonumber(units[2]), tonumber(units[3]) or 0
if turned(day) then
  redis.call('DEL', UNITS, HOLDS)
  day, used, held = today, nil, 0
end
local function holdOf(id)
  local hold = redis.call('HMGET', HOLDS, id, id .. '/firm')
  return tonumber(hold[1]) or 0, tonumber(hold[2]) or 0
end
local function keep(id, reserved, firm)
  if reserved == 0 then return end
  redis.call('HSET', HOLDS, id, whole(reserved), id .. '/firm', whole(firm))
  redis.call('PEXPIRE', HOLDS, KEPT_MS)
end
local function drop(id)
  local reserved, firm = holdOf(id)
  redis.call('HDEL', HOLDS, id, id .. '/firm')
  held = held - reserved + firm
  return firm
end
local function lease(id)
  redis.call('ZADD', CALLS, whole(now + LEASE), id)
  redis.call('PEXPIRE', CALLS, KEPT_MS)
end
local function adopt(id, ofDay, reserved, firm)
  lease(id)
  local known, knownFirm = holdOf(id)
  if ofDay ~= day or (reserved <= known and firm <= knownFirm) then return known, knownFirm end
  held = held - known + knownFirm + reserved - firm
  keep(id, reserved, firm)
  return reserved, firm
end
local function know(ofDay, atLeast)
  if ofDay == whole(day) then used = math.max(used or 0, tonumber(atLeast)) end
end
local function save()
  if used then redis.call('HSET', UNITS, 'day', whole(day), 'used', whole(used), 'held', whole(held))
  else redis.call('HSET', UNITS, 'day', whole(day), 'held', whole(held)) end
  redis.call('PEXPIRE', UNITS, KEPT_MS)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', CALLS, '-inf', whole(now))) do
  drop(id)
  redis.call('ZREM', CALLS, id)
end
local oldest = redis.call('LINDEX', BURST, -1)
while oldest and math.abs(now - oldest) >= WINDOW do
  redis.call('RPOP', BURST)
  oldest = redis.call('LINDEX', BURST, -1)
end
local burst = redis.call('LLEN', BURST)
local calls = redis.call('ZCARD', CALLS)
local function reply(verdict, requestsMax)
  local place = burst >= requestsMax and redis.call('LINDEX', BURST, requestsMax - 1)
  -- Where the clock fell back a call that still counts may seem to be out of the window.
  local function left(time) return time and math.max(1, math.ceil((time + WINDOW - now) / 1000)) or 0 end
  return {verdict, day, used or 0, held, calls, burst, left(oldest), left(place), math.ceil(((day + 1) * DAY - now) / 1000)}
end
`;

/** id, units, requests at most, units at most, calls at most, the day and number of units known to be used. */
const ADMIT = `
local id, wanted, requestsMax, unitsMax, callsMax = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
know(ARGV[6], ARGV[7])
if not used then save() return reply(-1, requestsMax) end
local granted = burst < requestsMax and calls < callsMax and (wanted == 0 or wanted <= unitsMax - used - held)
if granted then
  redis.call('LPUSH', BURST, whole(now))
  redis.call('PEXPIRE', BURST, ${LIMITS.burstWindowMs})
  oldest = oldest or now
  lease(id)
  keep(id, wanted, 0)
  burst, calls, held = burst + 1, calls + 1, held + wanted
end
save()
return reply(granted and 1 or 0, granted and burst + 1 or requestsMax)
`;

/** id, units, units at most, the day, the units reserved and the firm ones as the gateway has them, the day and number of units known to be used. */
const RESERVE = `
local id, wanted, unitsMax = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
know(ARGV[7], ARGV[8])
if not used then save() return reply(-1, math.huge) end
local reserved, firm = adopt(id, tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]))
local granted = wanted == 0 or wanted <= unitsMax - used - held
if granted then
  used, held = used + reserved - firm, held - reserved + firm + wanted
  keep(id, reserved + wanted, reserved)
end
save()
return reply(granted and 1 or 0, math.huge)
`;

/** id, the day, the firm units as the gateway has them, the units used on that day. */
const SETTLE = `
local firm = math.max(drop(ARGV[1]), tonumber(ARGV[3]))
redis.call('ZREM', CALLS, ARGV[1])
if used and tonumber(ARGV[2]) == day then used = math.max(0, used + tonumber(ARGV[4]) - firm) end
save()
return 1
`;

/** For each call: id, the day, the units reserved, the firm ones. */
const RENEW = `
for at = 1, #ARGV - 3, 4 do adopt(ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])) end
save()
return 1
`;

/** The day and number of units known to be used. */
const KNOW = `
know(ARGV[1], ARGV[2])
save()
return 1
`;

const LOOK = `
save()
return reply(used and 0 or -1, math.huge)
`;

/** Of the playground, a hash with day and calls: the day and number of calls known of. Never reset but by the day. */
const VISIT = `
local visits = redis.call('HMGET', KEYS[1], 'day', 'calls')
local day, calls = tonumber(visits[1]), tonumber(visits[2]) or 0
if turned(day) then day, calls = today, 0 end
if tonumber(ARGV[1]) == day then calls = math.max(calls, tonumber(ARGV[2])) end
calls = calls + 1
redis.call('HSET', KEYS[1], 'day', whole(day), 'calls', whole(calls))
redis.call('PEXPIRE', KEYS[1], KEPT_MS)
return {calls, day, math.ceil(((day + 1) * DAY - now) / 1000)}
`;

export type Script = { readonly numberOfKeys: number; readonly lua: string };

export function scriptsBy({ lua: clock }: ScriptClock): Record<'admit' | 'reserve' | 'settle' | 'renew' | 'know' | 'look' | 'visit', Script> {
  const ofAccount = (body: string): Script => ({ numberOfKeys: 4, lua: opening(clock) + ACCOUNT + body });
  return {
    admit: ofAccount(ADMIT), reserve: ofAccount(RESERVE), settle: ofAccount(SETTLE), renew: ofAccount(RENEW), know: ofAccount(KNOW), look: ofAccount(LOOK),
    visit: { numberOfKeys: 1, lua: opening(clock) + VISIT },
  };
}
