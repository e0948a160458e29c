import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSize } from '../data/contacts.ts';
import type { Report } from './report.ts';

export type BenchOptions = DataSize & {
  /** As little as shows that the bench works: its figures mean nothing. */
  readonly smoke: boolean;
  /** Without the other engines. */
  readonly alone: boolean;
  readonly rounds: number;
  /** Of one load in one round. */
  readonly seconds: number;
  readonly searches: number;
};

export type Bench = { readonly summary: string; run(options: BenchOptions, opened: Opened): Promise<Report> };

/** What a bench opens, closed in the other order however it ends. */
export class Opened {
  readonly #closers: (() => unknown)[] = [];
  readonly folder: string;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'lds-bench-run-'));
    this.#closers.push(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  keep<T>(thing: T, close: (thing: T) => unknown): T {
    this.#closers.push(() => close(thing));
    return thing;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
  }
}

export async function withOpened<T>(work: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = new Opened();
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
