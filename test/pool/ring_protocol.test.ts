import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { makePageRing, PageReader, PageWriter, type HeldBytes, type PageRing } from '../../src/pool/ring_protocol.ts';

const RING_BYTES = 4_096;
const LENGTH = fc.integer({ min: 1, max: RING_BYTES });

type Page = { readonly held: HeldBytes; readonly at: number; readonly length: number; readonly mark: number };

/** Begins where a count is about to run over its 32 bits. */
function ringAt(count: number): PageRing {
  const ring = makePageRing(RING_BYTES);
  ring.released[0] = count;
  return ring;
}

describe('the ring of pages between a scan thread and the service', () => {
  it('never gives a place that is still held, whatever is written and in whatever order it is released', () => {
    fc.assert(fc.property(fc.constantFrom(0, 2 ** 31 - 40, -40), fc.array(fc.oneof(fc.record({ write: LENGTH }), fc.record({ release: fc.nat() })), { maxLength: 200 }), (begun, steps) => {
      const ring = ringAt(begun);
      const writer = new PageWriter(ring);
      const reader = new PageReader(ring);
      const pages: Page[] = [];
      let mark = 0;
      for (const step of steps) {
        if ('write' in step) {
          const place = writer.reserve(step.write);
          if (place === null) continue;
          mark = (mark + 1) % 256;
          writer.bytes.fill(mark, place.at, place.at + step.write);
          assert.ok(place.length >= step.write && place.at + place.length <= RING_BYTES);
          pages.push({ held: reader.take(place), at: place.at, length: step.write, mark });
        } else if (pages.length > 0) {
          const [page] = pages.splice(step.release % pages.length, 1);
          page!.held.release();
          page!.held.release();
        }
        for (const { held, length, mark: own } of pages) assert.ok(held.bytes.subarray(0, length).every((byte) => byte === own), 'a page that is held is as it was written');
      }
    }));
  });

  it('has no place while all is held, and all of it once all is released', () => {
    const ring = ringAt(-1);
    const writer = new PageWriter(ring);
    const reader = new PageReader(ring);
    for (let round = 0; round < 300; round += 1) {
      const first = writer.reserve(1_500)!;
      const second = writer.reserve(1_000)!;
      assert.ok(first !== null && second !== null, `round ${round}`);
      assert.equal(writer.reserve(RING_BYTES - 2_000), null);
      const held = [reader.take(first), reader.take(second)];
      held[1]!.release();
      assert.equal(writer.reserve(RING_BYTES - 1_536), null, 'what was reserved first is held');
      held[0]!.release();
    }
    const whole = writer.reserve(RING_BYTES - 64);
    assert.ok(whole === null || whole.length === RING_BYTES - 64);
    assert.equal(writer.reserve(RING_BYTES + 1), null, 'what is larger than the ring has none');
  });
});
