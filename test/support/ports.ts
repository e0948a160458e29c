import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the system itself hands out, to which any connection of any test may be bound a moment later. */
const FIRST = 15_000;
const COUNT = 17_000;
const given = new Set<number>();

/** A port of the loopback that was free a moment ago, and that this process was not given before: it may not be listened on yet. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    given.add(port);
    const probe = createServer();
    try {
      await once(probe.listen(port, '127.0.0.1'), 'listening');
    } catch {
      continue;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
