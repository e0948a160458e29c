import { endedChildrenCpuSeconds } from './usage.ts';

export type Timed = { readonly seconds: number; readonly cpuSeconds: number };

/** Of what runs in processes of its own, and waits for them. */
export function timed(act: () => void): Timed {
  const cpuBefore = endedChildrenCpuSeconds();
  const from = performance.now();
  act();
  return { seconds: (performance.now() - from) / 1_000, cpuSeconds: endedChildrenCpuSeconds() - cpuBefore };
}
