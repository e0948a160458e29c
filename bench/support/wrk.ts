import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds, endedChildrenCpuSeconds } from './usage.ts';

/** `pid` is the server's: its processor time is measured beside wrk's own. */
export type Load = { readonly url: string; readonly pid: number; readonly connections: number; readonly seconds: number; readonly script: string };

export type Measured = {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  /** Of the server and of wrk together, for one request. */
  readonly cpuUsPerRequest: number;
};

/** A search over all rows may take its time on a peer. */
const TIMEOUT = '120s';

export function hasWrk(): boolean {
  return spawnSync('wrk', ['-v']).error === undefined;
}

/** How much longer a server is loaded once more that answered nothing: the machine may have stood still. */
const LONGER = 5;

/** One run of wrk with one thread. Answers other than 200 count as failed, and a failed request fails the bench. */
export function load(asked: Load): Measured {
  const measured = loadOnce(asked) ?? loadOnce({ ...asked, seconds: asked.seconds * LONGER });
  if (measured === null) throw new Error(`${asked.url} answered nothing in ${asked.seconds * LONGER} s`);
  return measured;
}

function loadOnce({ url, pid, connections, seconds, script }: Load): Measured | null {
  const serverBefore = cpuSeconds(pid);
  const wrkBefore = endedChildrenCpuSeconds();
  const done = spawnSync('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', TIMEOUT, '--latency', '-s', script, url], { encoding: 'utf8' });
  if (done.error !== undefined) throw new Error('wrk is not installed: apt-get install wrk', { cause: done.error });
  if (done.status !== 0) throw new Error(`wrk ended with ${done.status}: ${done.stderr}`);
  const line = /^RESULT (.*)$/m.exec(done.stdout);
  if (line === null) throw new Error(`wrk gave no result:\n${done.stdout}`);
  const { requests, ...measured } = JSON.parse(line[1]!) as Omit<Measured, 'cpuUsPerRequest'> & { requests: number };
  if (measured.failed > 0) throw new Error(`${measured.failed} requests to ${url} failed`);
  if (requests === 0) return null;
  const cpu = cpuSeconds(pid) - serverBefore + endedChildrenCpuSeconds() - wrkBefore;
  return { ...measured, cpuUsPerRequest: (cpu * 1e6) / requests };
}

const DONE = `
done = function(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  io.write(string.format('RESULT {"requestsPerSecond": %f, "p50Ms": %f, "p99Ms": %f, "failed": %d, "requests": %d}\\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, failed, summary.requests))
end
`;

/** How long a connection rests before each request where figures mean nothing: some are sent within a second, which show that the bench works. */
const SMOKE_REST_MS = 250;

type Posted = { readonly folder: string; readonly name: string; readonly bodies: readonly string[]; readonly headers: Readonly<Record<string, string>>; readonly smoke: boolean };

/** A wrk script that posts the bodies in turn, beginning where the last run that read this file may not have come to. */
export function postScript({ folder, name, bodies, headers, smoke }: Posted): string {
  const file = join(folder, `${name}.lua`);
  writeFileSync(join(folder, `${name}.txt`), `${bodies.join('\n')}\n`);
  writeFileSync(file, `
local bodies = {}
for line in io.lines(${JSON.stringify(join(folder, `${name}.txt`))}) do bodies[#bodies + 1] = line end
local headers = { ["content-type"] = "application/json", ${Object.entries(headers).map(([header, value]) => `[${JSON.stringify(header)}] = ${JSON.stringify(value)}`).join(', ')} }
math.randomseed(os.time())
local at = math.random(#bodies)
request = function()
  at = at % #bodies + 1
  return wrk.format("POST", nil, headers, bodies[at])
end
${smoke ? `delay = function() return ${SMOKE_REST_MS} end\n` : ''}${DONE}`);
  return file;
}
