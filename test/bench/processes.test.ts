import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startScript } from '../../bench/support/processes.ts';
import { folderOf } from '../support/folder.ts';
import { endWithProcess } from '../support/left_children.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';

for (const [end, told] of [["process.kill(process.pid, 'SIGKILL')", 'SIGKILL'], ['process.exit(3)', '3'], ['', '0']] as const) {
  test(`a server that ends before it answers is not waited for: ${end}`, { timeout: 180_000 }, async (t) => {
    const folder = folderOf(t);
    const script = join(folder, 'ends.js');
    writeFileSync(script, end);
    await assert.rejects(startScript(script, [], {}, `http://127.0.0.1:${await freePort()}/`), { message: `the server ended with ${told} before it answered: ` });
  });
}

const RUN = new URL('../../bench/run.js', import.meta.url).href;
const PROCESSES = new URL('../../bench/support/processes.js', import.meta.url).href;

/** A bench that does nothing but what it is told, and the children whose ids it tells. */
async function benchWith(t: TestContext, children: number, does: string): Promise<{ kill(signal: NodeJS.Signals): void; readonly pids: readonly number[] }> {
  const bench = spawn(process.execPath, ['--input-type=module', '-e', `import { beginScript, startScript } from '${PROCESSES}'; ${does}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  endWithProcess(bench);
  let told = '';
  bench.stdout.setEncoding('utf8').on('data', (text: string) => { told += text; });
  const pids = (): number[] => [...told.matchAll(/^(\d+)$/gm)].map(([pid]) => Number(pid));
  await until(() => pids().length === children);
  t.after(() => { for (const pid of pids().filter(isThere)) process.kill(pid, 'SIGKILL'); });
  return { kill: (signal) => { bench.kill(signal); }, pids: pids() };
}

function isThere(pid: number): boolean {
  try { return process.kill(pid, 0); } catch { return false; }
}

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`a server, and a script that was begun, end with a bench that is killed in the middle of a load: ${signal}`, { timeout: 180_000 }, async (t) => {
    const folder = folderOf(t);
    const [server, script] = [join(folder, 'serves.mjs'), join(folder, 'goes_on.mjs')];
    writeFileSync(server, "import { createServer } from 'node:http'; createServer((_, response) => { response.end(); }).listen(Number(process.argv[2]), '127.0.0.1');");
    writeFileSync(script, "import { writeFileSync } from 'node:fs'; writeFileSync(process.argv[2], `${process.pid}`); setInterval(() => {}, 1_000);");
    const port = await freePort();
    const { kill, pids } = await benchWith(t, 2, `
      import { existsSync, readFileSync } from 'node:fs';
      import { spawnSync } from 'node:child_process';
      const { pid } = await startScript('${server}', ['${port}'], {}, 'http://127.0.0.1:${port}/');
      beginScript('${script}', ['${folder}/pid'], {});
      while (!existsSync('${folder}/pid') || readFileSync('${folder}/pid', 'utf8') === '') await new Promise((resolve) => { setTimeout(resolve, 10); });
      process.stdout.write(\`\${pid}\n\${readFileSync('${folder}/pid', 'utf8')}\n\`);
      spawnSync('sleep', ['20']);`);
    assert.deepEqual(pids.map(isThere), [true, true]);
    kill(signal);
    await until(() => !pids.some(isThere));
  });
}

test('the benches handle no signal that is to end them: they wait for loads, and would hear of it when all are over', () => {
  const tells = "console.log = () => {}; await import(process.argv[1]); process.stdout.write(`${process.listenerCount('SIGTERM')}`);";
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', tells, RUN]);
  assert.equal(stdout.toString(), '0');
});
