import { parentPort, workerData } from 'node:worker_threads';
import { refuseOtherCode } from '../config/code.ts';
import { LIMITS } from '../config/limits.ts';
import { endThread } from '../lib/end_thread.ts';
import { AppError } from '../model/errors.ts';
import { openStore } from '../store/open.ts';
import { Keeper } from './suppression/keeper.ts';
import type { FromKeeper, KeeperSettings, ToKeeper } from './suppression/protocol.ts';

/** The body of the thread that keeps the suppressions: reading ten million of them, or marking the rows of a lake, takes seconds. */
refuseOtherCode();
const port = parentPort!;
const tell = (message: FromKeeper): void => port.postMessage(message);

const store = await openStore({ ...(workerData as KeeperSettings), connectionsMax: LIMITS.databaseKeeperConnectionsMax });
const keeper = new Keeper(store, (change) => tell({ kind: 'changed', ...change }));
await keeper.open().catch((error: unknown) => { throw new Error(`the suppressions cannot be read: ${innermost(error)}`); });

let failing = false;
let polling = false;
const timer = setInterval(() => { void poll(); }, LIMITS.suppressionPollMs);
store.onChange('suppressions', () => { void poll(); });
port.on('message', (message: ToKeeper) => { void receive(message); });

async function poll(): Promise<void> {
  if (polling) return;
  polling = true;
  try {
    await keeper.follow();
    if (failing) tell({ kind: 'well' });
    failing = false;
  } catch (error) {
    if (!failing) tell({ kind: 'trouble', error: readable(error) });
    failing = true;
  }
  polling = false;
}

async function receive(message: ToKeeper): Promise<void> {
  switch (message.kind) {
    case 'examine': return examine(message);
    case 'forget': return keeper.forget(message.number);
    case 'ask': return answer(message);
    case 'close':
      clearInterval(timer);
      await store.close();
      return endThread();
    default: return message satisfies never;
  }
}

async function examine({ number, index, rows }: ToKeeper & { kind: 'examine' }): Promise<void> {
  try {
    tell({ kind: 'examined', number, dead: await keeper.examine(number, { index, rows }) });
  } catch (error) {
    tell({ kind: 'failed', of: 'examine', number, error: plain(error) });
  }
}

async function answer({ number, question }: ToKeeper & { kind: 'ask' }): Promise<void> {
  try {
    tell({ kind: 'answer', number, answer: await keeper.ask(question) });
  } catch (error) {
    tell({ kind: 'failed', of: 'ask', number, error: plain(error) });
  }
}

/** For whoever starts the service. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : innermost(error.cause);
}

/** What a line of the log says of an error: those of SQLite would lose their text on the way, and all of them their code. */
function readable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const message = 'code' in error && !(error instanceof AppError) ? `${error.message} (${String(error.code)})` : error.message;
  return new Error(message, error.cause === undefined ? {} : { cause: readable(error.cause) });
}

/** What a message can carry of an error; the code of an `AppError` would be lost. */
function plain(error: unknown): unknown {
  if (error instanceof AppError) return { code: error.code, detail: error.message, cause: readable(error.cause) };
  return error instanceof Error ? new Error(error.message) : error;
}
