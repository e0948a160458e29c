import type { MessagePort } from 'node:worker_threads';

/** Two ends of a line in this process, by the rules of `MessageChannel`: in order, never at once, and what was sent before the end arrives. */
export function memoryChannel(): { readonly near: MessagePort; readonly far: MessagePort } {
  const near = new MemoryPort();
  const far = new MemoryPort();
  near.peer = far;
  far.peer = near;
  return { near, far } as unknown as ReturnType<typeof memoryChannel>;
}

class MemoryPort {
  peer: MemoryPort | null = null;
  readonly #hears: Record<'message' | 'close', ((message: never) => void)[]> = { message: [], close: [] };
  #closed = false;

  on(event: 'message' | 'close', listener: (message: never) => void): this {
    this.#hears[event].push(listener);
    return this;
  }

  postMessage(message: unknown): void {
    const { peer } = this;
    if (this.#closed) throw new Error('a message to a port that is closed can end the process');
    setImmediate(() => peer!.#take(message));
  }

  close(): void {
    if (this.#closed) return;
    setImmediate(() => this.peer!.#end());
    this.#end();
  }

  #take(message: unknown): void {
    if (!this.#closed) for (const listener of this.#hears.message) listener(message as never);
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    setImmediate(() => { for (const listener of this.#hears.close) listener(undefined as never); });
  }
}
