import { setImmediate } from 'node:timers/promises';

/** Connections that the service ended while this process was busy are known as ended then, and not used again: what has come is told by the second turn. */
export async function heard(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
