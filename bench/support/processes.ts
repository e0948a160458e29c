import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A child that says when it is ready, and is stopped by its own handle. */
export type Running = { readonly url: string; stop(): Promise<void> };

export async function startScript(script: string, args: readonly string[], env: NodeJS.ProcessEnv, url: string): Promise<Running> {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  await untilAnswers(url, child);
  return { url, stop: () => stopChild(child) };
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} before it answered`);
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok === true) return;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  throw new Error(`${url} did not answer within a minute`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** What a command prints on stdout; its notes go to the screen. */
export function capture(script: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  const done = spawnSync(process.execPath, [script, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${args.join(' ')} ended with ${done.status}`);
  return done.stdout.trim();
}
