import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads';
import { LIMITS } from '../config/limits.ts';
import { within } from '../lib/within.ts';
import type { ForeignTask, TaskReply } from './foreign_protocol.ts';
import { LoneThread } from './lone_thread.ts';

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
  const settings = { filename: ENTRY.href, name: 'runForeign', concurrentTasksPerWorker: LIMITS.foreignTasksMax, maxQueue: LIMITS.foreignTasksMax, atomics: 'disabled' } as const;
  const thread = new LoneThread<ForeignTask, TaskReply | null>(settings, () => {});
  return {
    openChannel: () => {
      const { port1, port2 } = new MessageChannel();
      return { near: port1, far: port2 };
    },
    run: (task) => thread.pool().run(task, task.kind === 'scan' ? { transferList: [task.port as Transferable] as never } : {}),
    // A thread that is ended inside native code may take the process along.
    close: async () => {
      if (thread.begun === null) return;
      await within(thread.begun.run({ kind: 'close' }).catch(() => {}), LIMITS.foreignCloseMs);
      await thread.close();
    },
  };
}
