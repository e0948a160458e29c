import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { endWithProcess } from '../left_children.ts';
import { pause } from '../runners.ts';

/** More than a server takes on a machine that is busy with other tests. */
const UP_MS_MAX = 60_000;

/** A server of a test's own, a process over a folder that is removed with it. It ends with the tests at the latest. */
export abstract class ChildServer {
  protected readonly folder: string;
  protected child: ChildProcess | null = null;
  /** What ends it at once. */
  protected readonly deadly: NodeJS.Signals = 'SIGKILL';

  protected constructor(folder: string) {
    this.folder = folder;
  }

  get pid(): number { return this.child!.pid!; }

  protected launch(command: string, args: readonly string[], options: SpawnOptions = {}): void {
    const child = spawn(command, args, { ...options, stdio: 'ignore' });
    child.unref();
    endWithProcess(child, this.deadly);
    this.child = child;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void { this.child!.kill(signal); }

  /** Without a word to its clients. */
  async crash(): Promise<void> {
    const child = this.child!;
    const ended = once(child, 'exit');
    child.ref();
    child.kill(this.deadly);
    await ended;
  }

  async stop(): Promise<void> {
    if (this.child !== null && this.child.exitCode === null && this.child.signalCode === null) await this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Waits for a child just begun. */
  protected async untilUp(isUp: () => Promise<boolean>): Promise<void> {
    for (const endMs = performance.now() + UP_MS_MAX; performance.now() < endMs;) {
      if (this.child!.exitCode !== null || this.child!.signalCode !== null) throw new Error(`the server ended with ${this.child!.exitCode ?? this.child!.signalCode}`);
      if (await isUp()) return;
      await pause(25);
    }
    throw new Error('the server did not start');
  }
}
