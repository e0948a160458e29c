import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { readAnswer } from './raw_client.ts';
import { echoPath, KINDS, pause, serving } from './serving.ts';
import { WaitingClients } from './waiting_clients.ts';

for (const kind of KINDS) {
  describe(`${kind}: who waits to be taken`, () => {
    test('draining answers who had connected and asked before it began, also those whom the loop had no time to take', async (t) => {
      const service = await serving(t, kind, echoPath);
      const waiting = await WaitingClients.connect(t, service.port);
      const drained = service.server.drain();
      for (const text of await waiting.answers()) {
        const answer = readAnswer(text);
        assert.deepEqual([answer.status, answer.body, answer.headers.get('connection')], [200, '/waits', 'close']);
      }
      await drained;
    });

    test('draining waits for the answer to who had connected and asked before it began, however long that takes', async (t) => {
      const service = await serving(t, kind, async (exchange) => {
        await pause(2 * LIMITS.drainLingerMs);
        echoPath(exchange);
      });
      const waiting = await WaitingClients.connect(t, service.port);
      const drained = service.server.drain();
      assert.deepEqual((await waiting.answers()).map((text) => readAnswer(text).body), Array.from({ length: 16 }, () => '/waits'));
      await drained;
    });
  });
}
