import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { limitsMemory } from '../../bench/support/memory_group.ts';
import { folderOf } from '../support/folder.ts';
import { WITHOUT_NATIVE } from '../support/http_kinds.ts';
import { endWithProcess } from '../support/left_children.ts';
import { NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { NO_POSTGRES } from '../support/servers/postgres.ts';

const RUN = join(import.meta.dirname, '../../bench/run.js');
const SMALLEST = ['--smoke', '--json', '--rows', '3000', '--searches', '200'];
/** What each bench must have measured beside its name. */
const BENCHES: Readonly<Record<string, RegExp>> = {
  find: /lake \/ Fastify, clickhouse/, words: /phrase: lake \/ sqlite/, stream: /lake \/ DuckDB/, facets: /lake \/ DuckDB/, ingest: /csv: lake \/ DuckDB/, changes: /upsert of 10 \/ all anew/,
  start: /first answer/, memory: /rows on disk/, larger: /page, bound/, disk: /serving files/, growth: /page p50, all \/ a tenth/,
  sources: /stream: two \/ one/,
  deadline: /past timeout_ms: p99.9/, isolation: /hung \/ alive/, hedging: /requests, two \/ one/, suppression: /processor time, rows too \/ nothing/, enumeration: /sign-up: t of 10,000/,
  scaleout: /PostgreSQL: all rows as NDJSON/,
};

const missing = ['wrk', 'curl'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
const skip = missing.length > 0 && process.env['CI'] !== 'true' ? `${missing.join(' and ')} not installed` : false;

/** What a machine cannot do, and why. */
const UNABLE: Readonly<Record<string, string | false>> = {
  find: WITHOUT_NATIVE, stream: WITHOUT_NATIVE, larger: !limitsMemory() && 'the memory of a process cannot be limited here', scaleout: NO_CLICKHOUSE || NO_POSTGRES,
};

/** One that hangs is ended, and has failed. */
const BENCH_MS_MAX = 240_000;

type Told = { readonly bench: string; readonly figures: readonly { readonly name: string; readonly median: number | null }[] };
/** `report` null: it failed. */
type Outcome = { readonly report: Told | null; readonly notes: string };

/** Of each in turn, and in the end of a process that failed when all had told theirs. One runs them all, for it takes a second to begin; behind one that fails, another goes on. */
async function* outcomesOf(names: readonly string[], folder: string): AsyncGenerator<Outcome, void> {
  for (let left = names; left.length > 0;) {
    const child = spawn(process.execPath, [RUN, ...left, ...SMALLEST], { env: { ...process.env, LDS_BENCH_DIR: folder }, stdio: ['ignore', 'pipe', 'pipe'] });
    endWithProcess(child);
    let notes = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => { notes += text; });
    const hangs = setTimeout(() => child.kill(), BENCH_MS_MAX);
    child.stdout.on('data', () => hangs.refresh());
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    for await (const line of createInterface({ input: child.stdout })) {
      left = left.slice(1);
      yield { report: JSON.parse(line) as Told, notes };
    }
    const [code, signal] = await ended;
    clearTimeout(hangs);
    if (code === 0 && left.length === 0) return;
    left = left.slice(1);
    yield { report: null, notes: `it ended with ${code ?? signal}: ${notes}` };
  }
}

describe('benches run', { skip }, () => {
  const names = Object.keys(BENCHES).filter((name) => (UNABLE[name] ?? false) === false);
  const outcomes = outcomesOf(names, folderOf({ after }));

  for (const [name, measured] of Object.entries(BENCHES)) {
    test(`the bench ${name} runs, finds its peers in agreement, and reports every figure`, { skip: UNABLE[name] ?? false }, async () => {
      const { value } = await outcomes.next();
      const { report, notes } = value!;
      assert.equal(report?.bench, name, notes);
      assert.ok(report.figures.some((figure) => measured.test(figure.name)), JSON.stringify(report));
      assert.deepEqual(report.figures.filter(({ median }) => median === null || !Number.isFinite(median)), []);
    });
  }

  test('nothing of them is left that would keep their process, and it ends well', async () => {
    const { done, value } = await outcomes.next();
    assert.equal(done, true, value?.notes);
  });
});
