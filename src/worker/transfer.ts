import { move, transferableSymbol, valueSymbol } from 'piscina';

/** Marks the buffers of a task's result to be handed over instead of copied. They must be whole: a pooled buffer would take its neighbours along. */
export function handOver<T extends object>(result: T, buffers: readonly ArrayBuffer[]): T {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: result } as never) as unknown as T;
}
