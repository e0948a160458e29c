import { refuseOtherCode } from '../config/code.ts';
import type { Failed, ForeignTask, TaskReply } from '../pool/foreign_protocol.ts';
import { openSource } from '../sources/open.ts';
import { SourceFailure, type ForeignSettings, type ForeignSource } from '../sources/source.ts';
import { Patience } from './foreign/patience.ts';
import { scanForeign } from './foreign/scan.ts';

refuseOtherCode();

/** The sources this thread has open, with their connections, for as long as it lives. */
const opened = new Map<string, ForeignSource>();

/** The one task of a thread that holds sockets: many run at once, each waiting for its own. */
export async function runForeign(task: ForeignTask): Promise<TaskReply | null> {
  switch (task.kind) {
    case 'describe': return answer(task.deadlineMs, async (signal) => ({ description: await sourceOf(task.source).describe(signal), figures: null }));
    case 'figures': return answer(task.deadlineMs, async (signal) => ({ description: null, figures: await sourceOf(task.source).figures(signal) }));
    case 'scan': await scanForeign(() => sourceOf(task.source), task.source.vocabulary, task.request, task.port); return null;
    case 'close': await Promise.allSettled([...opened.values()].map((source) => source.close())); return null;
    default: return task satisfies never;
  }
}

async function answer(deadlineMs: number, ask: (signal: AbortSignal) => Promise<Pick<TaskReply & { ok: true }, 'description' | 'figures'>>): Promise<TaskReply> {
  const patience = new Patience(deadlineMs);
  try {
    return { ok: true, ...await ask(patience.signal) };
  } catch (error) {
    return failureOf(error, patience);
  } finally {
    patience.end();
  }
}

function sourceOf(settings: ForeignSettings): ForeignSource {
  const { name } = settings.config;
  const source = opened.get(name) ?? openSource(settings);
  opened.set(name, source);
  return source;
}

function failureOf(error: unknown, patience: Patience): Failed {
  if (patience.struck !== null) return { ok: false, code: 'timed_out', detail: 'it did not answer in time' };
  if (error instanceof SourceFailure) return { ok: false, code: error.code, detail: error.message };
  return { ok: false, code: 'broken', detail: error instanceof Error ? error.stack ?? error.message : String(error) };
}
