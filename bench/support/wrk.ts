import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Load = { readonly url: string; readonly connections: number; readonly seconds: number; readonly script: string };
export type Measured = { readonly requestsPerSecond: number; readonly p50Ms: number; readonly p99Ms: number; readonly failed: number };

/** One run of wrk with one thread. Answers other than 200 count as failed. */
export function load({ url, connections, seconds, script }: Load): Measured {
  const done = spawnSync('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, url], { encoding: 'utf8' });
  if (done.error !== undefined) throw new Error('wrk is not installed: apt-get install wrk', { cause: done.error });
  if (done.status !== 0) throw new Error(`wrk ended with ${done.status}: ${done.stderr}`);
  const line = /^RESULT (.*)$/m.exec(done.stdout);
  if (line === null) throw new Error(`wrk gave no result:\n${done.stdout}`);
  return JSON.parse(line[1]!) as Measured;
}

/** A wrk script that posts the bodies in turn, from a different place in each connection's stream. */
export function postScript(folder: string, bodies: readonly string[], headers: Readonly<Record<string, string>>): string {
  const file = join(folder, 'post.lua');
  writeFileSync(join(folder, 'bodies.txt'), `${bodies.join('\n')}\n`);
  writeFileSync(file, `
local bodies = {}
for line in io.lines(${JSON.stringify(join(folder, 'bodies.txt'))}) do bodies[#bodies + 1] = line end
local headers = { ${Object.entries(headers).map(([name, value]) => `[${JSON.stringify(name)}] = ${JSON.stringify(value)}`).join(', ')} }
local at = 0
request = function()
  at = at % #bodies + 1
  return wrk.format("POST", nil, headers, bodies[at])
end
done = function(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  io.write(string.format('RESULT {"requestsPerSecond": %f, "p50Ms": %f, "p99Ms": %f, "failed": %d}\\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, failed))
end
`);
  return file;
}
