import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { limitsMemory } from '../../bench/support/memory_group.ts';
import { folderOf } from '../support/folder.ts';
import { WITHOUT_NATIVE } from '../support/http_kinds.ts';
import { NO_CLICKHOUSE } from '../support/servers/clickhouse.ts';
import { NO_POSTGRES } from '../support/servers/postgres.ts';

const RUN = join(import.meta.dirname, '../../bench/run.js');
const SMALLEST = ['--smoke', '--json', '--rows', '3000', '--searches', '200'];
/** What each bench must have measured beside its name. */
const BENCHES: Readonly<Record<string, RegExp>> = {
  find: /lake \/ Fastify, clickhouse/, words: /phrase: lake \/ sqlite/, stream: /lake \/ DuckDB/, facets: /lake \/ DuckDB/, ingest: /csv: lake \/ DuckDB/,
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

describe('benches run', { skip }, () => {
  const folder = folderOf({ after });

  for (const [name, measured] of Object.entries(BENCHES)) {
    test(`the bench ${name} runs, finds its peers in agreement, and reports every figure`, { skip: UNABLE[name] ?? false }, () => {
      const done = spawnSync(process.execPath, [RUN, name, ...SMALLEST], { env: { ...process.env, LDS_BENCH_DIR: folder }, encoding: 'utf8', timeout: 240_000 });
      assert.deepEqual([done.status, done.signal], [0, null], done.stderr);
      const { figures } = JSON.parse(done.stdout) as { figures: { name: string; median: number | null }[] };
      assert.ok(figures.some((figure) => measured.test(figure.name)), done.stdout);
      assert.deepEqual(figures.filter(({ median }) => median === null || !Number.isFinite(median)), []);
    });
  }
});
