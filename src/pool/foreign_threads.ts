import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { THIS_CODE } from '../config/code.ts';
import { LIMITS } from '../config/limits.ts';
import { within } from '../lib/within.ts';
import type { ForeignTask, TaskReply } from './foreign_protocol.ts';

/** What runs the tasks of foreign sources. */
export interface ForeignRunner {
  /** A line for one scan: the far end goes with its task. */
  openChannel(): { readonly near: MessagePort; readonly far: MessagePort };
  /** Rejects when the thread died. */
  run(task: ForeignTask): Promise<TaskReply | null>;
  close(): Promise<void>;
}

const ENTRY = new URL(`../worker/foreign_entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/**
 * The thread that holds the sockets. Its loop must turn while it is idle, so it does not block in `Atomics.wait`; it is one, so that the
 * bounds on a source's connections are those of the process. No task of it is ever aborted: that would end all others.
 */
export function startForeignThread(): ForeignRunner {
  let pool: Piscina<ForeignTask, TaskReply | null> | null = null;
  let startedMs = 0;
  const living = (): Piscina<ForeignTask, TaskReply | null> => {
    // As in `threads.ts`: a thread that fails while it loads is not replaced by the pool.
    if (pool !== null && pool.threads.length === 0 && performance.now() - startedMs > LIMITS.poolRebuildMs) {
      void pool.destroy();
      pool = null;
    }
    if (pool === null) {
      pool = startPool();
      startedMs = performance.now();
    }
    return pool;
  };
  return {
    openChannel: () => {
      const { port1, port2 } = new MessageChannel();
      return { near: port1, far: port2 };
    },
    run: (task) => living().run(task, task.kind === 'scan' ? { transferList: [task.port as Transferable] as never } : {}),
    // A thread that is ended inside native code may take the process along.
    close: async () => {
      const ending = pool;
      if (ending === null) return;
      await within(ending.run({ kind: 'close' }).catch(() => {}), LIMITS.foreignCloseMs);
      await ending.destroy();
    },
  };
}

function startPool(): Piscina<ForeignTask, TaskReply | null> {
  const pool = new Piscina<ForeignTask, TaskReply | null>({
    filename: ENTRY.href,
    name: 'runForeign',
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: LIMITS.foreignTasksMax,
    maxQueue: LIMITS.foreignTasksMax,
    atomics: 'disabled',
    recordTiming: false,
    argv: [...THIS_CODE],
  });
  pool.on('error', () => {});
  return pool;
}
