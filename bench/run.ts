import { parseArgs } from 'node:util';
import { findAgainstBare } from './macro/find_against_bare.ts';
import { findStages } from './micro/find_stages.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { smoke: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });

const BENCHES: Record<string, (smoke: boolean) => Promise<void>> = {
  stages: findStages,
  find: (smoke) => findAgainstBare(smoke ? { rounds: 1, seconds: 1, connections: 16 } : { rounds: 5, seconds: 5, connections: 64 }),
};

const wanted = positionals.length === 0 ? Object.keys(BENCHES) : positionals;
const unknown = wanted.filter((name) => BENCHES[name] === undefined);
if (values.help === true || unknown.length > 0) {
  console.log(`npm run bench -- [${Object.keys(BENCHES).join('|')}] [--smoke]\n\nstages: what each stage of a find costs the main thread\nfind: /v1/find against bare uWS with a constant of the same size (needs wrk)`);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  for (const name of wanted) await BENCHES[name]!(values.smoke === true);
}
