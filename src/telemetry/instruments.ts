import { readdirSync, statSync } from 'node:fs';
import { LIMITS } from '../config/limits.ts';
import { Metrics, type Counter, type Histogram } from './metrics.ts';

/** What the service counts of itself. Made once by the application and handed to whoever observes. */
export type Instruments = {
  readonly metrics: Metrics;
  /** route, status */
  readonly requests: Counter;
  /** route; seconds from arrival to the last byte handed over */
  readonly requestSeconds: Histogram;
  /** source, runs_in */
  readonly scans: Counter;
  /** dataset; rows handed to callers */
  readonly rows: Counter;
  close(): void;
};

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30];

export function openInstruments(logLinesDropped: () => number): Instruments {
  const metrics = new Metrics();
  const requests = metrics.counter('lds_requests_total', 'Requests answered.', ['route', 'status']);
  const requestSeconds = metrics.histogram('lds_request_seconds', 'Time from arrival to the last byte handed over.', SECONDS, ['route']);
  const scans = metrics.counter('lds_scans_total', 'Scans of sources, by where they ran.', ['source', 'runs_in']);
  const rows = metrics.counter('lds_rows_total', 'Rows handed to callers.', ['dataset']);
  metrics.counterOf('lds_log_lines_dropped_total', 'Log lines lost because nobody read them or their file was full.', logLinesDropped);
  describeProcess(metrics);
  const stop = watchEventLoop(metrics.histogram('lds_event_loop_delay_seconds', 'How late a timer fired.', SECONDS));
  return { metrics, requests, requestSeconds, scans, rows, close: stop };
}

function describeProcess(metrics: Metrics): void {
  const startedS = Date.now() / 1_000 - process.uptime();
  metrics.counterOf('process_cpu_seconds_total', 'User and system CPU time of all threads.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.gauge('process_start_time_seconds', 'Start of the process since 1970.', () => startedS);
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  metrics.gauge('process_open_fds', 'Open file descriptors; 0 where they cannot be counted.', openFiles);
  metrics.gauge('lds_memory_bytes', "The JavaScript engine's memory, by kind; of the main thread, buffers shared with the workers included.", ['kind'], () => {
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    return [[['heap_used'], heapUsed], [['heap_total'], heapTotal], [['external'], external], [['array_buffers'], arrayBuffers]];
  });
  metrics.gauge('lds_active_resources', 'What keeps the event loop alive, by type.', ['type'], activeResources);
}

const OPEN_FILES = '/proc/self/fd';

/** Since Linux 6.2 the folder's size tells. To read it holds the loop for 30 ms where ten thousand files are open, and takes one more, which may not be left. */
function openFiles(): number {
  try {
    const { size } = statSync(OPEN_FILES);
    return size > 0 ? size : readdirSync(OPEN_FILES).length;
  } catch {
    return 0;
  }
}

function activeResources(): Iterable<readonly [readonly string[], number]> {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => [[type], count] as const);
}

/** A block of the loop shorter than the sampling may be missed, a longer one never. */
function watchEventLoop(delays: Histogram): () => void {
  const cell = delays.at();
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    cell.observe(Math.max(0, nowMs - lastMs - LIMITS.eventLoopSampleMs) / 1_000);
    lastMs = nowMs;
  }, LIMITS.eventLoopSampleMs);
  timer.unref();
  return () => clearInterval(timer);
}
