import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { openInstruments } from '../../src/telemetry/instruments.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';

type Family = { type: string; help: string; samples: Map<string, number> };

/** A strict reader of the Prometheus text format 0.0.4: any line it does not know, any series or family given twice, is an error. */
function parse(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'));
  const families = new Map<string, Family>();
  let family: Family | null = null;
  let name = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP ([a-zA-Z_:][\w:]*) (.*)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line);
    if (help !== null) {
      name = help[1]!;
      assert.ok(!families.has(name), `${name} twice`);
      family = { type: '', help: help[2]!, samples: new Map() };
      families.set(name, family);
    } else if (type !== null) {
      assert.equal(type[1], name);
      family!.type = type[2]!;
    } else readSample(line, name, family!);
  }
  for (const [key, { type, samples }] of families) if (type === 'histogram') checkHistogram(key, samples);
  return families;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (-?[\d.]+(?:e[+-]?\d+)?|\+Inf|-Inf|NaN)$/;

function readSample(line: string, name: string, family: Family): void {
  const [, sample, labels, value] = SAMPLE.exec(line) ?? assert.fail(`not a sample: ${line}`);
  const suffix = sample!.slice(name.length);
  assert.ok(sample!.startsWith(name) && (suffix === '' || (family.type === 'histogram' && /^_(bucket|sum|count)$/.test(suffix))), line);
  const key = `${suffix}{${labels ?? ''}}`;
  assert.ok(!family.samples.has(key), `${line} twice`);
  family.samples.set(key, Number(value!.replace('Inf', 'Infinity')));
}

function checkHistogram(name: string, samples: Map<string, number>): void {
  const ends = [...samples].filter(([key]) => key.startsWith('_bucket') && key.includes('le="+Inf"'));
  for (const [key, total] of ends) {
    const labels = key.slice('_bucket{'.length).replace(/,?le="\+Inf"}$/, '');
    assert.equal(samples.get(`_count{${labels}}`), total, name);
    const counts = [...samples].filter(([other]) => other.startsWith(`_bucket{${labels}${labels === '' ? '' : ','}le=`)).map(([, count]) => count);
    assert.deepEqual(counts, counts.toSorted((a, b) => a - b), `${name}: buckets must be cumulative`);
  }
}

test('a counter has one series for each set of labels, numbers and their texts alike', () => {
  const metrics = new Metrics();
  const requests = metrics.counter('requests_total', 'Requests.', ['route', 'status']);
  requests.add(1, '/v1/find', 200);
  requests.add(2, '/v1/find', '200');
  requests.add(5, '/health', 200);
  assert.deepEqual([...parse(metrics.text()).get('requests_total')!.samples], [['{route="/v1/find",status="200"}', 3], ['{route="/health",status="200"}', 5]]);
});

test('a counter without labels is there from the start', () => {
  const metrics = new Metrics();
  metrics.counter('lost_total', 'Lost.');
  assert.equal(parse(metrics.text()).get('lost_total')!.samples.get('{}'), 0);
});

test('a histogram counts each value in the bucket it fits, ends included', () => {
  const metrics = new Metrics();
  const seconds = metrics.histogram('wait_seconds', 'Wait.', [0.1, 1], ['lane']);
  for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe(value, 'short');
  const { samples } = parse(metrics.text()).get('wait_seconds')!;
  assert.deepEqual([...samples], [
    ['_bucket{lane="short",le="0.1"}', 2], ['_bucket{lane="short",le="1"}', 3], ['_bucket{lane="short",le="+Inf"}', 4],
    ['_sum{lane="short"}', 3.65], ['_count{lane="short"}', 4],
  ]);
});

test('label values and help texts are escaped', () => {
  const metrics = new Metrics();
  metrics.counter('odd_total', 'Two\nlines and a \\.', ['what']).add(1, 'a "quote", a \\ and\na line');
  const { help, samples } = parse(metrics.text()).get('odd_total')!;
  assert.equal(help, 'Two\\nlines and a \\\\.');
  assert.deepEqual([...samples.keys()], ['{what="a \\"quote\\", a \\\\ and\\na line"}']);
});

test('gauges are read when the text is asked for', () => {
  const metrics = new Metrics();
  let waiting = 1;
  metrics.gauge('waiting', 'Waiting.', () => waiting);
  metrics.gauge('up', 'Up.', ['source'], () => [[['crm'], 1], [['files'], 0]]);
  waiting = 7;
  const families = parse(metrics.text());
  assert.equal(families.get('waiting')!.samples.get('{}'), 7);
  assert.deepEqual([...families.get('up')!.samples.values()], [1, 0]);
});

test('label values without end are lumped together', () => {
  const metrics = new Metrics();
  const counter = metrics.counter('many_total', 'Many.', ['name']);
  for (let index = 0; index < LIMITS.metricSeriesMax + 500; index += 1) counter.add(1, `n${index}`);
  const { samples } = parse(metrics.text()).get('many_total')!;
  assert.equal(samples.size, LIMITS.metricSeriesMax + 1);
  assert.equal(samples.get('{name="other"}'), 500);
});

test('a metric may not stand twice', () => {
  const metrics = new Metrics();
  metrics.counter('a_total', 'A.');
  assert.throws(() => metrics.gauge('a_total', 'A.', () => 1), /twice/);
});

test('the metrics of the service are well-formed and tell of the process', async () => {
  const instruments = openInstruments(() => 3);
  instruments.requests.add(1, '/v1/find', 200);
  instruments.requestSeconds.observe(0.002, '/v1/find');
  instruments.scans.add(1, 'crm', 'worker');
  instruments.rows.add(25, 'contacts');
  await new Promise((resolve) => { setTimeout(resolve, 3 * LIMITS.eventLoopSampleMs); });
  const until = performance.now() + 120;
  while (performance.now() < until);
  await new Promise((resolve) => { setTimeout(resolve, LIMITS.eventLoopSampleMs); });
  const families = parse(instruments.metrics.text());
  instruments.close();
  assert.equal(families.get('lds_requests_total')!.samples.get('{route="/v1/find",status="200"}'), 1);
  assert.equal(families.get('lds_scans_total')!.samples.get('{source="crm",runs_in="worker"}'), 1);
  assert.equal(families.get('lds_log_lines_dropped_total')!.samples.get('{}'), 3);
  assert.ok(families.get('process_resident_memory_bytes')!.samples.get('{}')! > 1e7);
  assert.ok(families.get('process_open_fds')!.samples.get('{}')! > 2);
  assert.ok(families.get('process_cpu_seconds_total')!.samples.get('{}')! > 0);
  const delays = families.get('lds_event_loop_delay_seconds')!.samples;
  assert.ok(delays.get('_bucket{le="+Inf"}')! > delays.get('_bucket{le="0.05"}')!, 'a loop blocked for 120 ms must be seen');
});

const counted = existsSync('/proc/self/fd') && statSync('/proc/self/fd').size > 0;

test('the metrics are told also where no more files can be opened, and how many are open', { skip: counted ? false : 'open files are counted without opening one on Linux 6.2 or newer alone' }, () => {
  const script = `
    import { openSync } from 'node:fs';
    import { openInstruments } from ${JSON.stringify(new URL('../../src/telemetry/instruments.js', import.meta.url).href)};
    const { metrics } = openInstruments(() => 0);
    try {
      for (;;) openSync('/dev/null');
    } catch {
      console.log(/^process_open_fds (.*)$/m.exec(metrics.text())[1]);
      process.exit();
    }`;
  const told = execFileSync('sh', ['-c', 'ulimit -n 256; exec "$0" --input-type=module -e "$1"', process.execPath, script], { encoding: 'utf8' });
  assert.equal(Number(told), 256);
});
