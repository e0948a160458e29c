import { Worker } from 'node:worker_threads';
import { THIS_CODE } from '../config/code.ts';
import { LIMITS } from '../config/limits.ts';
import type { LoadedSegment, LoadSegments, SegmentToLoad } from '../sources/lake/loading.ts';
import type { LoadMessage } from '../worker/load_entry.ts';

const ENTRY = new URL(`../worker/load_entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Loads segments in a thread of their own. A start loads one lake after the other: to begin a thread takes longer than most of them do, so one that is done is asked again. */
export const loadSegments: LoadSegments = (files: readonly SegmentToLoad[], spoilt): Promise<readonly LoadedSegment[]> => {
  if (files.length === 0) return Promise.resolve([]);
  const thread = resting.pop() ?? new LoadThread();
  return new Promise((resolve, reject) => { thread.load({ files, spoilt, resolve, reject }); });
};

/** Those that are done, and will end unless they are asked for more. */
const resting: LoadThread[] = [];

type Asked = {
  readonly files: readonly SegmentToLoad[];
  readonly spoilt: (file: SegmentToLoad) => void;
  readonly resolve: (segments: readonly LoadedSegment[]) => void;
  readonly reject: (error: Error) => void;
};

/** Asked for one thing at a time: while it verifies what it has loaded it is no more at hand than before. */
class LoadThread {
  readonly #worker = new Worker(ENTRY, { argv: [...THIS_CODE] });
  #asked: Asked | null = null;
  #end: NodeJS.Timeout | null = null;

  constructor() {
    this.#worker.on('message', (message: LoadMessage) => this.#hear(message));
    this.#worker.on('error', (error: Error) => this.#gone(error));
    this.#worker.on('exit', () => this.#gone(new Error('the loading thread ended before it answered')));
  }

  load(asked: Asked): void {
    if (this.#end !== null) clearTimeout(this.#end);
    this.#asked = asked;
    this.#worker.ref();
    this.#worker.postMessage(asked.files);
  }

  #hear(message: LoadMessage): void {
    switch (message.kind) {
      case 'loaded':
        this.#worker.unref();
        if (message.done) this.#rest();
        this.#asked!.resolve(message.segments);
        break;
      case 'spoilt': this.#asked!.spoilt(this.#asked!.files[message.at]!); break;
      case 'done': this.#rest(); break;
      default: message satisfies never;
    }
  }

  #rest(): void {
    resting.push(this);
    this.#end = setTimeout(() => {
      this.#leave();
      this.#worker.postMessage(null);
    }, LIMITS.loadThreadRestMs).unref();
  }

  #gone(error: Error): void {
    if (this.#end !== null) clearTimeout(this.#end);
    this.#leave();
    this.#asked?.reject(error);
  }

  #leave(): void {
    const at = resting.indexOf(this);
    if (at !== -1) resting.splice(at, 1);
  }
}
