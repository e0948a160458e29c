import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SinkPool } from '../../../src/encode/sink_pool.ts';
import { LineQueue } from '../../../src/http/handlers/line_queue.ts';
import { KeptExchange } from '../../support/exchanges.ts';
import { pause } from '../../support/runners.ts';

test('lines leave in their order, together where they come together, and none is lost or changed while an earlier one is still read', async () => {
  const exchange = new KeptExchange();
  const sinks = new SinkPool();
  let begun = 0;
  const queue = new LineQueue(exchange, sinks, () => {
    begun += 1;
    exchange.begin(200, []);
  });
  const result = (index: number): void => {
    queue.open(index);
    queue.sink.text(`"n":"\u00e9${index}"}`);
    queue.close();
  };
  assert.equal(exchange.begun, false);
  let release = (): void => {};
  exchange.reading = new Promise((resolve) => { release = resolve; });
  result(0);
  result(1);
  await pause(1);
  assert.deepEqual(exchange.lines, ['{"index":0,"n":"\u00e90"}', '{"index":1,"n":"\u00e91"}']);
  for (let index = 2; index < 50; index++) result(index);
  await pause(1);
  assert.equal(exchange.lines.length, 2, 'the reader takes nothing');
  release();
  await pause(1);
  const bytes = await queue.end('{"@end":{}}');
  assert.deepEqual(exchange.lines, [...Array.from({ length: 50 }, (_, index) => `{"index":${index},"n":"\u00e9${index}"}`), '{"@end":{}}']);
  assert.deepEqual([bytes, begun, exchange.ended, queue.results], [Buffer.byteLength(exchange.text), 1, true, 50]);
});

test('the last line is a write of its own, behind all that waited', async () => {
  const exchange = new KeptExchange();
  const sizes: number[] = [];
  const write = exchange.write.bind(exchange);
  exchange.write = (bytes) => {
    sizes.push(bytes.byteLength);
    return write(bytes);
  };
  const queue = new LineQueue(exchange, new SinkPool(), () => { exchange.begin(200, []); });
  queue.open(0);
  queue.sink.text('"n":0}');
  queue.close();
  await queue.end('{"@end":{}}');
  assert.deepEqual(sizes, ['{"index":0,"n":0}\n'.length, '{"@end":{}}\n'.length]);
});

test('a sink that was given back is taken again, empty', () => {
  const sinks = new SinkPool();
  const sink = sinks.take();
  sink.text('x');
  assert.notEqual(sinks.take(), sink);
  sinks.give(sink);
  assert.deepEqual([sinks.take(), sink.length], [sink, 0]);
});
