import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantile } from './figures.ts';

/** Searches that `wrk` posts at fixed times over one thread. */
export type PacedOrder = {
  readonly url: string;
  readonly key: string;
  readonly bodies: readonly string[];
  readonly folder: string;
  readonly connections: number;
  /** Requests a second, whatever the server does. */
  readonly rate: number;
  /** At first, while nothing is measured. */
  readonly warmSeconds: number;
  readonly seconds: number;
};

/** Latencies from when each request was to be sent. `lateMsMax`: by how much one was sent too late at most, for want of a connection or of time. */
export type Paced = { readonly p50Ms: number; readonly p99Ms: number; readonly p999Ms: number; readonly lateMsMax: number };

/** For so long the last answers are waited for: what is not answered then took that long at least, and is counted so. */
const DRAIN_SECONDS = 1;

/**
 * `wrk` asks `delay` how long a connection that is free shall wait, and sends what `request` then gives it: the n-th request is due n / rate after
 * the first, and says its number in `client_ref`, by which its answer is told. A server that stalls is charged for all who were due meanwhile. The
 * sender takes a third of the processor time of one in JavaScript, and does not stop to collect garbage.
 */
export function paced(order: PacedOrder): Paced {
  const { url, connections, seconds, warmSeconds, rate } = order;
  const script = scriptOf(order);
  const done = spawnSync('wrk', ['-t1', `-c${connections}`, `-d${Math.ceil(warmSeconds + seconds + DRAIN_SECONDS)}s`, '--timeout', '60s', '-s', script, url], { encoding: 'utf8' });
  if (done.error !== undefined || done.status !== 0) throw new Error(`wrk ended with ${done.status}: ${done.stderr}`, { cause: done.error });
  const line = /^PACED (.*)$/m.exec(done.stdout);
  if (line === null) throw new Error(`wrk gave no result:\n${done.stdout}`);
  const { failed, lateMs, hundredthsMs } = JSON.parse(line[1]!) as { failed: number; lateMs: number; hundredthsMs: readonly number[] };
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed`);
  const unanswered = Math.max(0, Math.floor(rate * seconds) - hundredthsMs.length);
  const sorted = Float64Array.from([...hundredthsMs.map((each) => each / 100), ...Array.from({ length: unanswered }, () => DRAIN_SECONDS * 1_000)]).sort();
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), p999Ms: quantile(sorted, 0.999), lateMsMax: lateMs };
}

function scriptOf({ bodies, folder, key, rate, warmSeconds, seconds }: PacedOrder): string {
  const bodiesFile = join(folder, 'paced.txt');
  const file = join(folder, 'paced.lua');
  // Without the brace that ends each: the number of the request is its last member.
  writeFileSync(bodiesFile, bodies.map((body) => `${body.slice(0, -1)}\n`).join(''));
  writeFileSync(file, `
local ffi = require("ffi")
ffi.cdef [[ typedef struct { long seconds; long nanoseconds; } moment; int clock_gettime(int clock, moment *into); ]]
local MONOTONIC, moment = 1, ffi.new("moment")
local function now()
  ffi.C.clock_gettime(MONOTONIC, moment)
  return tonumber(moment.seconds) * 1e3 + tonumber(moment.nanoseconds) / 1e6
end
local FROM, TO = ${Math.ceil(warmSeconds * rate)}, ${Math.ceil((warmSeconds + seconds) * rate)}
local HEAD = "POST /v1/find HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\nauthorization: Bearer ${key}\\r\\ncontent-type: application/json\\r\\ncontent-length: "
local bodies = {}
for line in io.lines(${JSON.stringify(bodiesFile)}) do bodies[#bodies + 1] = line end
local first, due, sent
TOOK, LATE, FAILED = {}, 0, 0
local function dueAt(n) return first + n * ${1000 / rate} end
delay = function()
  local at = now()
  if due == nil then first, due, sent = at + 10, 0, 0 end
  local wait = dueAt(due) - at
  due = due + 1
  return math.max(0, math.ceil(wait))
end
request = function()
  -- Once before the start, by which wrk looks what it will send.
  local n = sent or 0
  if sent ~= nil then sent = n + 1 end
  if n >= FROM and n < TO then LATE = math.max(LATE, now() - dueAt(n)) end
  local body = bodies[n % #bodies + 1] .. ',"client_ref":"' .. n .. '"}'
  return HEAD .. #body .. "\\r\\n\\r\\n" .. body
end
response = function(status, headers, body)
  local n = tonumber(body:match('"client_ref":"(%d+)"', -1000))
  if status ~= 200 or n == nil then FAILED = FAILED + 1
  elseif n >= FROM and n < TO then TOOK[#TOOK + 1] = math.max(0, math.floor((now() - dueAt(n)) * 100)) end
end
local sender
setup = function(thread) sender = thread end
done = function()
  io.write(string.format('PACED {"failed": %d, "lateMs": %f, "hundredthsMs": [%s]}\\n', sender:get("FAILED"), sender:get("LATE"), table.concat(sender:get("TOOK"), ",")))
end
`);
  return file;
}
