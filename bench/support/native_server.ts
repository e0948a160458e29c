import { spawnSync } from 'node:child_process';

/** In a process of its own, as `lds doctor` does: a module that is built for another machine may crash. */
const LOAD = `await import('uWebSockets.js').catch(({ message }) => {
  console.error(/^(?:Error: )?(.+)$/.exec(message.split('\\n\\n').at(-1).split('\\n')[0])[1]);
  process.exit(1);
});
process.exit(0);`;

/** For a bench that is measured against bare uWS, before anything is made for it: through `node:http` it would say nothing of what it is to show. */
export function assertNativeServer(bench: string): void {
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', LOAD], { cwd: import.meta.dirname, encoding: 'utf8' });
  if (status === 0) return;
  const why = signal ?? stderr.trim();
  throw new Error(`${bench} is measured against bare uWS, which does not load on this platform (${why}); the other benches run with LDS_HTTP=node`);
}
