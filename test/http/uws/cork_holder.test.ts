import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { RawClient, readAnswer, request } from '../../contract/exchange/raw_client.ts';
import { pause } from '../../contract/exchange/serving.ts';
import { WITHOUT_NATIVE } from '../../support/http_kinds.ts';

const PIECE = Buffer.alloc(3 * LIMITS.streamPieceBytes, 'p');

describe('the holder of the cork', { skip: WITHOUT_NATIVE }, async () => {
  const { CorkHolder } = await import('../../../src/http/uws/cork_holder.ts');
  const { listenUws } = await import('../../../src/http/uws/listen.ts');

  test('holds as soon as it is made, runs what is written meanwhile at once, and holds no more once it is closed', async () => {
    const holder = await CorkHolder.make();
    assert.equal(holder.holds, true);
    let ran = false;
    holder.during(() => { ran = true; });
    assert.equal(ran, true);
    holder.close();
    await pause(20);
    assert.equal(holder.holds, false);
  });

  for (const [title, holder] of [['which holds', CorkHolder.make()], ['which does not', new CorkHolder()]] as const) {
    test(`with one ${title} a stream of large pieces arrives whole`, async (t) => {
      const server = await listenUws({ host: '127.0.0.1', port: 0 }, async (exchange) => {
        exchange.begin(200, []);
        for (let at = 0; at < 4; at += 1) await exchange.write(PIECE);
        exchange.end();
      }, holder);
      const client = await RawClient.connect(server.port);
      t.after(async () => {
        client.leave();
        await server.close();
      });
      client.send(request('GET /'));
      // To look at the end of a text that grows means to copy all of it.
      const { body } = readAnswer(await client.until((text) => text.length > 4 * PIECE.length && text.endsWith('\r\n0\r\n\r\n')));
      assert.ok(body === PIECE.toString().repeat(4), `${body.length}`);
    });
  }

  const apart = ['-rn', process.execPath, '--input-type=module', '-e'] as const;
  test('where loopback cannot be called nothing is held, and nothing listens', { skip: spawnSync('unshare', [...apart, '']).status === 0 ? false : 'no network of its own may be made here' }, () => {
    const script = `
      const { CorkHolder } = await import(${JSON.stringify(new URL('../../../src/http/uws/cork_holder.js', import.meta.url).href)});
      const { readFileSync } = await import('node:fs');
      const holder = await CorkHolder.make();
      console.log(holder.holds, readFileSync('/proc/net/tcp', 'utf8').trim().split('\\n').length - 1);
      holder.close();`;
    const { stdout, stderr, status } = spawnSync('unshare', [...apart, script], { encoding: 'utf8' });
    assert.deepEqual([stdout.trim(), stderr, status], ['false 0', '', 0]);
  });

  test('the library complains of no write of a stream', () => {
    const script = `
      const { listenHttp } = await import(${JSON.stringify(new URL('../../../src/http/listen.js', import.meta.url).href)});
      const server = await listenHttp('uws', { host: '127.0.0.1', port: 0 }, async (exchange) => {
        exchange.begin(200, []);
        for (let at = 0; at < 8; at += 1) await exchange.write(Buffer.alloc(2_000_000));
        exchange.end();
      });
      const answer = await fetch('http://127.0.0.1:' + server.port);
      console.log((await answer.arrayBuffer()).byteLength);
      await server.close();`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.deepEqual([stdout.trim(), stderr, status], ['16000000', '', 0]);
  });
});
