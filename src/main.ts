#!/usr/bin/env node
import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { COMMANDS } from './cli/commands.ts';
import { EXIT, type Terminal } from './cli/command.ts';
import { dispatch } from './cli/dispatch.ts';
import { exitAtOnce } from './cli/exit_at_once.ts';
import { Interrupts } from './cli/interrupts.ts';
import { LIMITS } from './config/limits.ts';
import type { Config } from './config/schema.ts';
import { areWithin, keepThreadsOut } from './lib/unbroken.ts';

const verbose = ['debug', 'trace'].includes(process.env['LDS_LOG_LEVEL'] ?? '');
const interrupts = new Interrupts();
const terminals = [0, 1, 2].filter(isatty);
let outlivesReader = false;
let readerGone = false;
let unwritable = false;
let settings: Promise<Config> | undefined;

const terminal: Terminal = {
  out: (text) => {
    if (readerGone) return;
    const { promise, resolve } = settled();
    return process.stdout.write(text, resolve) ? undefined : promise;
  },
  note: (text) => { process.stderr.write(text); },
  interactive: Boolean(process.stderr.isTTY),
  signal: interrupts.signal,
};

function settled(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => { resolve = done; });
  return { promise, resolve };
}

/** Not by an exit, which would wait for threads that are held by the system, such as one that reads a pipe. */
function onSignal(signal: NodeJS.Signals): void {
  if (!interrupts.isAnother(signal)) return;
  process.off(signal, onSignal);
  process.kill(process.pid, signal);
}

/** Node puts the terminals back as it found them, and aborts where one is gone: not where it is closed. */
function leave(code: number): never {
  for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  keepThreadsOut(LIMITS.unbrokenMsMax);
  if (areWithin()) exitAtOnce(code);
  process.exit(code);
}

process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// By default Node opens its debugger then, on a port that every user of the machine may use to run code within the process.
process.on('SIGUSR1', () => {});
// Of a terminal that closed both the system and the shell tell, whenever they come to it. Where no stream is a terminal, the command was started by
// `nohup`, which sees to that, or it is a wish to read the settings anew: that it was to be ignored Node forgets before any code runs.
process.on('SIGHUP', (signal) => { if (terminals.length > 0) interrupts.end(`stopped by ${signal}`); });
process.stderr.on('error', () => {});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (readerGone) return;
  readerGone = true;
  unwritable = error.code !== 'EPIPE';
  if (unwritable) terminal.note(`lds: The output cannot be written (${String(error.code)}).\n`);
  if (!outlivesReader) interrupts.end('nobody reads the output');
});
process.on('uncaughtException', (error) => {
  terminal.note(`lds: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
  if (verbose && error instanceof Error) terminal.note(`${error.stack ?? ''}\n`);
  leave(EXIT.failed);
});

const code = await dispatch(process.argv.slice(2), {
  commands: COMMANDS,
  terminal,
  verbose,
  // Read once: its file may be a pipe.
  config: () => settings ??= import('./cli/configuration.ts').then(({ readConfig }) => readConfig()),
  chosen: (entry) => { outlivesReader = entry.service === true; },
});
// Who left off because its reader had enough has not failed.
const exitCode = unwritable && !outlivesReader ? EXIT.failed : code ?? (readerGone ? EXIT.done : EXIT.failed);
// What stdout still holds goes first, however slow its reader; after a signal he is not waited for.
if (interrupts.signal.aborted) setTimeout(() => leave(exitCode), LIMITS.logCloseMsMax);
const { promise, resolve } = settled();
process.stdout.write('', resolve);
await promise;
leave(exitCode);
