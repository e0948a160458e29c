import { LIMITS } from '../config/limits.ts';
import { ByteSink } from './byte_sink.ts';

/** Sinks for answers that are made while others are: a few are kept for the next, so that its memory is there already. */
export class SinkPool {
  readonly #idle: ByteSink[] = [];

  take(): ByteSink {
    return this.#idle.pop() ?? new ByteSink();
  }

  /** Nothing of what `sink` holds may be in use any more. */
  give(sink: ByteSink): void {
    if (this.#idle.length === LIMITS.sinksKeptMax) return;
    sink.reset();
    this.#idle.push(sink);
  }
}
