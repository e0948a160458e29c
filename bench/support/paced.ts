import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantile } from './figures.ts';

/** Searches that `wrk` posts at fixed times over one thread. */
type PacedOrder = {
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

/**
 * From the sending to the last byte, as `wrk` takes it; by how much requests were sent too late, for want of a connection or of time; and what the
 * two are together at most: of a hundred requests at most one half took longer than the first part of the sum, and one half was sent later than the second.
 */
export type Paced = { readonly servedP50Ms: number; readonly servedP99Ms: number; readonly lateP99Ms: number; readonly lateMsMax: number; readonly p99MsAtMost: number };

type Told = { readonly failed: number; readonly p50: number; readonly p99: number; readonly p995: number; readonly lateUs: readonly number[] };

/**
 * `wrk` asks `delay` how long a connection that is free shall wait, and sends what `request` then gives it: the n-th request is due n / rate after
 * the first. A server that stalls is charged for all who were due meanwhile: they are late. The answers are not looked at by the script, for to hand it
 * each takes as long as the rest of the sender, and the sender shares the machine.
 */
export function paced(order: PacedOrder): Paced {
  if (order.warmSeconds > 0) run(order, order.warmSeconds);
  const { failed, p50, p99, p995, lateUs } = run(order, order.seconds);
  if (failed > 0) throw new Error(`${failed} requests to ${order.url} failed`);
  const late = Float64Array.from(lateUs, (each) => each / 1_000).sort();
  return { servedP50Ms: p50, servedP99Ms: p99, lateP99Ms: quantile(late, 0.99), lateMsMax: late.at(-1)!, p99MsAtMost: p995 + quantile(late, 0.995) };
}

function run(order: PacedOrder, seconds: number): Told {
  const done = spawnSync('wrk', ['-t1', `-c${order.connections}`, `-d${seconds}s`, '--timeout', '60s', '--latency', '-s', scriptOf(order), order.url], { encoding: 'utf8', maxBuffer: 64 * 1_048_576 });
  if (done.error !== undefined || done.status !== 0) throw new Error(`wrk ended with ${done.status}: ${done.stderr}`, { cause: done.error });
  const line = /^PACED (.*)$/m.exec(done.stdout);
  if (line === null) throw new Error(`wrk gave no result:\n${done.stdout}`);
  return JSON.parse(line[1]!) as Told;
}

function scriptOf({ bodies, folder, key, rate }: PacedOrder): string {
  const bodiesFile = join(folder, 'paced.txt');
  const file = join(folder, 'paced.lua');
  writeFileSync(bodiesFile, `${bodies.join('\n')}\n`);
  writeFileSync(file, `
local ffi = require("ffi")
ffi.cdef [[ typedef struct { long seconds; long nanoseconds; } moment; int clock_gettime(int clock, moment *into); ]]
local MONOTONIC, moment = 1, ffi.new("moment")
local function now()
  ffi.C.clock_gettime(MONOTONIC, moment)
  return tonumber(moment.seconds) * 1e3 + tonumber(moment.nanoseconds) / 1e6
end
local HEAD = "POST /v1/find HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\nauthorization: Bearer ${key}\\r\\ncontent-type: application/json\\r\\ncontent-length: "
local requests = {}
for line in io.lines(${JSON.stringify(bodiesFile)}) do requests[#requests + 1] = HEAD .. #line .. "\\r\\n\\r\\n" .. line end
math.randomseed(os.time())
local at = math.random(#requests)
local first, due, sent
LATE_US = {}
local function dueAt(n) return first + n * ${1000 / rate} end
delay = function()
  local free = now()
  if due == nil then first, due, sent = free + 10, 0, 0 end
  local wait = dueAt(due) - free
  due = due + 1
  return math.max(0, math.ceil(wait))
end
request = function()
  at = at % #requests + 1
  -- Once before the start, by which wrk looks what it will send.
  if sent ~= nil then
    LATE_US[#LATE_US + 1] = math.max(0, math.floor((now() - dueAt(sent)) * 1e3))
    sent = sent + 1
  end
  return requests[at]
end
local sender
setup = function(thread) sender = thread end
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('PACED {"failed": %d, "p50": %f, "p99": %f, "p995": %f, "lateUs": [%s]}\\n',
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.5) / 1e3, table.concat(sender:get("LATE_US"), ",")))
end
`);
  return file;
}
