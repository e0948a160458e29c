import { vocabulary } from '../../src/model/vocabulary.ts';
import type { ForeignTask, TaskReply } from '../../src/pool/foreign_protocol.ts';
import type { ForeignRunner } from '../../src/pool/foreign_threads.ts';
import type { BatchReply, ScanBatch, ScanReply } from '../../src/pool/protocol.ts';
import { SourceFailure, type FailureCode, type FoundRow } from '../../src/sources/source.ts';
import { scanForeign } from '../../src/worker/foreign/scan.ts';
import { scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { memoryChannel } from './memory_port.ts';
import { memorySource, type Held } from './rows.ts';

const WORDS = vocabulary('contacts');

const LAKE_FAULTS = ['lost', 'crashed', 'hung', 'cut', 'slow'] as const;
const SCAN_FAULTS = ['lost', 'lost late', 'mute', 'hung', 'deaf', 'slow', 'fails', 'crashes'] as const;
type LakeFault = (typeof LAKE_FAULTS)[number];
type ScanFault = (typeof SCAN_FAULTS)[number];
const CODES: readonly FailureCode[] = ['unreachable', 'refused', 'broken', 'malformed', 'overloaded'];

export type Luck = { readonly chance: () => number; /** Of a scan to meet a fault. */ faultShare: number };

/** Which sources a fault has struck, which gave a row whatever became of them, and which are gone altogether. */
export class Strokes {
  readonly struck = new Set<string>();
  readonly gave = new Set<string>();
  readonly gone = new Set<string>();
  /** Scans of foreign sources that have not come to their end over there. */
  running = 0;
}

export function pick<T>(all: readonly T[], chance: () => number): T {
  return all[Math.floor(chance() * all.length)]!;
}

/** Scan threads over lanes in memory, of which one batch in so many goes wrong. */
export function flakyLakes(lanes: readonly MemoryLane[], luck: Luck, strokes: Strokes, pause: (ms: number) => Promise<void>): (batch: ScanBatch, index: number, hungMs: number) => Promise<BatchReply> {
  const scan = scanMemory(lanes, 3);
  const answer = (batch: ScanBatch): BatchReply => {
    const answered = scan(batch);
    for (const [at, reply] of answered.replies.entries()) if (reply.ok && reply.rows > 0) strokes.gave.add(sourceOf(batch.scans[at]!));
    return answered;
  };
  return async (batch, _, hungMs) => {
    if (luck.chance() >= luck.faultShare) return answer(batch);
    const fault: LakeFault = pick(LAKE_FAULTS, luck.chance);
    for (const scan of batch.scans) strokes.struck.add(sourceOf(scan));
    switch (fault) {
      case 'lost': throw new Error('exited');
      case 'crashed': return { ...answer(batch), replies: batch.scans.map(() => ({ ok: false, code: 'scan_crashed', detail: 'x' })) };
      case 'cut': return { ...answer(batch), replies: answer(batch).replies.map(cutShort) };
      case 'slow': await pause(luck.chance() * 60); return answer(batch);
      case 'hung': await pause(hungMs); throw new Error('aborted');
      default: return fault satisfies never;
    }
  };
}

function sourceOf({ segment }: ScanBatch['scans'][number]): string {
  return segment.split('.')[0]!;
}

/** What came before the deadline struck amid the scan. */
function cutShort(reply: ScanReply): ScanReply {
  return reply.ok ? { ...reply, stop: 'deadline', matched: null, tally: 'deadline' } : reply;
}

/** The thread of the sockets, in this process, over flaky sources. */
export class FlakyThread implements ForeignRunner {
  readonly openChannel = memoryChannel;
  readonly #sources: ReadonlyMap<string, Held>;
  readonly #luck: Luck;
  readonly #strokes: Strokes;
  readonly #pause: (ms: number) => Promise<void>;

  constructor(sources: readonly Held[], luck: Luck, strokes: Strokes, pause: (ms: number) => Promise<void>) {
    this.#sources = new Map(sources.map((source) => [source.name, source]));
    this.#luck = luck;
    this.#strokes = strokes;
    this.#pause = pause;
  }

  async run(task: ForeignTask): Promise<TaskReply | null> {
    if (task.kind === 'close') return null;
    const held = this.#sources.get(task.source.config.name)!;
    await this.#pause(1);
    if (task.kind === 'scan') return this.#scan(held, task);
    if (this.#strokes.gone.has(held.name)) return { ok: false, code: 'unreachable', detail: 'gone' };
    const source = memorySource(held, 1, () => Promise.resolve());
    const signal = new AbortController().signal;
    return task.kind === 'describe'
      ? { ok: true, description: await source.describe(signal), figures: null }
      : { ok: true, description: null, figures: await source.figures(signal) };
  }

  close(): Promise<void> { return Promise.resolve(); }

  async #scan(held: Held, { request, port }: ForeignTask & { kind: 'scan' }): Promise<null> {
    const { chance, faultShare } = this.#luck;
    const isGone = this.#strokes.gone.has(held.name);
    const fault: ScanFault | null = isGone ? 'fails' : chance() < faultShare ? pick(SCAN_FAULTS, chance) : null;
    if (fault !== null) this.#strokes.struck.add(held.name);
    if (fault === 'lost') throw new Error('exited');
    if (fault === 'mute') return null;
    const dyingMs = chance() * 5;
    if (fault === 'lost late') void this.#pause(dyingMs).then(() => port.close());
    const ticks = isGone ? 0 : Math.floor(chance() * 4);
    this.#strokes.running += 1;
    const source = memorySource(held, 2, this.#ticker(fault, ticks, isGone ? 'unreachable' : pick(CODES, chance)));
    await scanForeign(() => ({ ...source, rows: (...asked) => this.#noting(held.name, source.rows(...asked)) }), WORDS, request, port);
    this.#strokes.running -= 1;
    return null;
  }

  async *#noting(name: string, rows: AsyncIterable<readonly FoundRow[]>): AsyncGenerator<readonly FoundRow[]> {
    for await (const batch of rows) {
      if (batch.length > 0) this.#strokes.gave.add(name);
      yield batch;
    }
  }

  /** Strikes at the tick of that number. A `deaf` one goes on after a while as if nothing had been. */
  #ticker(fault: ScanFault | null, at: number, code: FailureCode): () => Promise<void> {
    let ticks = 0;
    return async () => {
      ticks += 1;
      if (fault === null || ticks <= at) return;
      switch (fault) {
        case 'slow': return this.#pause(this.#luck.chance() * 60);
        case 'hung': return this.#pause(10_000).then(() => { throw new SourceFailure('broken', 'hung'); });
        case 'deaf': return this.#pause(400);
        case 'fails': throw new SourceFailure(code, 'canary of the provider');
        case 'crashes': throw new Error('a bug');
        case 'lost': case 'lost late': case 'mute': return;
        default: fault satisfies never;
      }
    };
  }
}
