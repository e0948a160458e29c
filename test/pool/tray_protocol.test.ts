import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { makeTrays, TrayReader, TrayWriter, type HeldText } from '../../src/pool/tray_protocol.ts';

type Page = { readonly held: HeldText; readonly mark: number };

describe('the trays between a scan thread and the service', () => {
  it('are never given while they are held, whatever is written and in whatever order they are released', () => {
    fc.assert(fc.property(fc.array(fc.oneof(fc.constant('write' as const), fc.nat()), { maxLength: 300 }), (steps) => {
      const trays = makeTrays();
      const writer = new TrayWriter(trays);
      const reader = new TrayReader(trays);
      const pages: Page[] = [];
      steps.forEach((step, at) => {
        if (step === 'write') {
          const taken = writer.take();
          assert.equal(taken === null, pages.length === LIMITS.pageTrays);
          if (taken === null) return;
          const mark = at % 256;
          taken.bytes.fill(mark, 0, 100);
          pages.push({ held: reader.receive(taken.tray, 0, 100), mark });
        } else if (pages.length > 0) {
          pages.splice(step % pages.length, 1)[0]!.held.release();
        }
        for (const { held, mark } of pages) assert.ok(held.bytes[0] === mark && held.bytes[99] === mark, 'a page that is held is as it was written');
      });
    }));
  });

  it('are used again from the first on, and a second release of one does not free it for whoever has it since', () => {
    const trays = makeTrays();
    const writer = new TrayWriter(trays);
    const reader = new TrayReader(trays);
    const first = reader.receive(writer.take()!.tray, 0, 1);
    reader.receive(writer.take()!.tray, 0, 1);
    first.release();
    assert.equal(writer.take()!.tray, 0);
    first.release();
    assert.equal(writer.take()!.tray, 2);
  });

  it('are of one of two threads that write into the same ones', () => {
    const trays = makeTrays();
    const writers = [new TrayWriter(trays), new TrayWriter(trays)];
    const taken = Array.from({ length: LIMITS.pageTrays }, (_, at) => writers[at % 2]!.take()!.tray);
    assert.equal(new Set(taken).size, LIMITS.pageTrays);
    assert.ok(writers.every((writer) => writer.take() === null));
  });

  it('lie side by side, each in memory of its own', () => {
    const trays = makeTrays();
    const writer = new TrayWriter(trays);
    const all = Array.from({ length: LIMITS.pageTrays }, () => writer.take()!);
    all.forEach(({ tray, bytes }) => { bytes.fill(tray + 1); });
    assert.equal(writer.take(), null);
    const reader = new TrayReader(trays);
    for (const { tray } of all) assert.ok(reader.receive(tray, 0, LIMITS.trayBytes).bytes.every((byte) => byte === tray + 1));
  });
});
