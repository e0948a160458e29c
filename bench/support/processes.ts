import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MemoryGroup } from './memory_group.ts';

/** A child that answers, and is stopped by its own handle. */
export type Running = { readonly url: string; readonly pid: number; stop(): Promise<void> };

const READY_MS_MAX = 600_000;
/** Each look takes processor time that the server would start with: a start that is measured is looked at by its bench itself. */
const POLL_MS = 100;
/** A look that is not answered is none: the next one may be. */
const LOOK_MS_MAX = 10_000;
const NOTES_MAX = 4_096;

/** What a child inherits: none of the service's settings, which are each bench's own, but the HTTP server, of which a platform may have one alone. */
export function plainEnv(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'LDS_HTTP' || !name.startsWith('LDS_'))), ...env };
}

/** As `npm start` has it; what is measured against the service gets the same. */
const NODE_OPTIONS = ['--use-largepages=silent'];

/** Of a child whose standard input is a pipe: a bench that is killed does not leave it behind. */
export const ENDS_WITH_BENCH = ['--import', pathToFileURL(join(import.meta.dirname, 'end_with_bench.js')).href];

/** Starts a server, in a group where one is given, and waits until `url` answers 200. */
export async function startScript(script: string, args: readonly string[], env: NodeJS.ProcessEnv, url: string, group: MemoryGroup | null = null): Promise<Running> {
  const command = [process.execPath, ...NODE_OPTIONS, ...ENDS_WITH_BENCH, script, ...args];
  // The shell enters the group and then becomes the server: all that this takes is counted.
  const [file, ...rest] = group === null ? command : ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', group.entrance, ...command];
  const child = spawn(file!, rest, { env: plainEnv(env), stdio: ['pipe', 'ignore', 'pipe'] });
  let notes = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => { notes = (notes + text).slice(-NOTES_MAX); });
  await untilAnswers(url, child, () => notes);
  return { url, pid: child.pid!, stop: () => stopChild(child) };
}

async function untilAnswers(url: string, child: ChildProcess, notes: () => string): Promise<void> {
  for (const until = performance.now() + READY_MS_MAX; performance.now() < until;) {
    if (hasEnded(child)) throw new Error(`the server ended with ${child.exitCode ?? child.signalCode} before it answered: ${notes()}`);
    // No connection is left behind, for the next call to find closed by the server.
    if (await answers(url).catch(() => false)) return;
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
  }
  await stopChild(child);
  throw new Error(`${url} did not answer within ${READY_MS_MAX / 1_000} s: ${notes()}`);
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(LOOK_MS_MAX) });
  await answer.arrayBuffer();
  return answer.ok;
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean { return exitCode !== null || signalCode !== null; }

export async function stopChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** What a script prints on stdout; its notes go to the screen only where it fails. */
export function capture(script: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  const done = spawnSync(process.execPath, [script, ...args], { env: plainEnv(env), stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`${args.join(' ')} ended with ${done.status}: ${done.stderr}`);
  return done.stdout.trim();
}

/** The same while this process does something else. `stop` asks the script to end; what it prints comes all the same. */
export function beginScript(script: string, args: readonly string[], env: NodeJS.ProcessEnv): { readonly ended: Promise<string>; stop(): void } {
  const child = spawn(process.execPath, [...ENDS_WITH_BENCH, script, ...args], { env: plainEnv(env), stdio: 'pipe' });
  let [out, notes] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => { out += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { notes = (notes + text).slice(-NOTES_MAX); });
  const ended = once(child, 'close').then(() => {
    if (child.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode ?? child.signalCode}: ${notes}`);
    return out.trim();
  });
  // Whoever stops it is told.
  ended.catch(() => {});
  return { ended, stop: () => { child.kill('SIGTERM'); } };
}
