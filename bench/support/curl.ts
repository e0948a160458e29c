import { spawnSync } from 'node:child_process';
import { cpuSeconds, endedChildrenCpuSeconds } from './usage.ts';

export type Download = { readonly bytes: number; readonly seconds: number; readonly bytesPerSecond: number; readonly cpuSeconds: number };

/** Reads an answer to its end with curl, which throws it away: the fastest ordinary reader there is. */
export function download(url: string, pid: number, args: readonly string[] = []): Download {
  const before = cpuSeconds(pid) + endedChildrenCpuSeconds();
  const done = spawnSync('curl', ['-sS', '--fail', '-o', '/dev/null', '-w', '%{size_download} %{time_total}', ...args, url], { encoding: 'utf8' });
  if (done.error !== undefined) throw new Error('curl is not installed: apt-get install curl', { cause: done.error });
  if (done.status !== 0) throw new Error(`curl ended with ${done.status}: ${done.stderr}`);
  const [bytes, seconds] = done.stdout.split(' ').map(Number);
  return { bytes: bytes!, seconds: seconds!, bytesPerSecond: bytes! / seconds!, cpuSeconds: cpuSeconds(pid) + endedChildrenCpuSeconds() - before };
}
