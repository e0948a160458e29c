import { setFlagsFromString } from 'node:v8';
import { openApp, type App } from '../app.ts';
import { ensureAdminKey, ensureDemoKey } from '../accounts/first_keys.ts';
import { LIMITS } from '../config/limits.ts';
import type { Config } from '../config/schema.ts';
import { VERSION } from '../config/version.ts';
import { aborted } from '../lib/aborted.ts';
import { systemClock } from '../lib/clock.ts';
import { within } from '../lib/within.ts';
import { openLog } from '../telemetry/log.ts';
import { EXIT, type Command, type Terminal } from './command.ts';
import { terminalStage } from './progress.ts';
import { noWords } from './words.ts';

/** What the printed call asks for: small, and it matches in the demonstration data. */
const FIRST_SEARCH = '{"type":"contacts","query":"manager","filters":{"country":["US"],"has_email":["true"]},"limit":3}';

export const serveCommand: Command = {
  help: `
Usage: lds serve

Runs the gateway until SIGINT, SIGTERM or the end of its terminal. It then finishes what is running and exits with 0
within 10 seconds. It exits with 1 when it failed, and with 2 under a configuration that is not right.

If nothing was ingested and no source is configured, it first makes a demonstration, once, and prints a key and a call
to try. Without LDS_ADMIN_KEY, the first start on a terminal makes an admin key and shows it once.

Settings come from the file that LDS_CONFIG names and from LDS_* variables; docs/operations.md lists them.
The log goes to stdout: JSON, one line per request. Messages for people go to stderr, except the demonstration's key and call.

Example:
  LDS_DATA_DIR=/var/lib/lds LDS_PORT=8081 lds serve
`,
  options: {},
  async run({ files, terminal, config }) {
    noWords(files);
    collectYoungAlone();
    const settings = await config();
    const log = openLog(settings.logLevel);
    process.on('uncaughtExceptionMonitor', (error) => {
      log.fatal('crashed', { error });
      log.spill();
    });
    const app = await openedUnlessStopped(openApp(settings, log, systemClock, terminal.signal), terminal.signal);
    if (app === null) {
      log.info('stopped before it had begun');
      await log.close();
      return EXIT.done;
    }
    try {
      if (!terminal.signal.aborted) {
        // What was being made is left off where it was told to end meanwhile: the next start makes the rest.
        await begin(app, settings, terminal).catch((error: unknown) => { if (!terminal.signal.aborted) throw error; });
        if (!terminal.signal.aborted) log.info('listening', { host: settings.host, port: app.port, version: VERSION });
        await aborted(terminal.signal);
      }
      log.info('shutting down');
    } finally {
      await app.close();
      log.info('stopped');
      await log.close();
    }
    return EXIT.done;
  },
};

/**
 * Of the young objects of a request almost none survive. Four threads that look for the few cost a find a tenth of its processor time,
 * and stand in the way of those that scan.
 */
function collectYoungAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

/** Null where it was told to end while it waits, for a store that another process changes for instance: it has begun nothing that is to be closed. */
async function openedUnlessStopped(opening: Promise<App>, signal: AbortSignal): Promise<App | null> {
  await Promise.race([opening, aborted(signal)]);
  return await within(opening, LIMITS.startLeftMs) ? opening : null;
}

async function begin(app: App, settings: Config, terminal: Terminal): Promise<void> {
  const wantsDemo = settings.demo && settings.sources.length === 0;
  if (wantsDemo && (app.empty() || app.demo())) {
    // Nobody who has data of his own waits for DuckDB to load.
    const { makeDemoLake } = await import('../ingest/demo/demo.ts');
    await makeDemoLake({ dataDir: settings.dataDir, stage: terminalStage(terminal), signal: terminal.signal });
    await app.reload();
  }
  app.serve();
  const adminKey = settings.adminKey === null ? await ensureAdminKey(app.store, { interactive: terminal.interactive, nowMs: Date.now() }) : null;
  if (adminKey !== null) terminal.note(`Admin key, shown this once: ${adminKey}\n`);
  const url = `http://${shownHost(settings.host)}:${app.port}`;
  if (app.demo()) await greet(app, url, terminal);
  else terminal.note(`Serving on ${url}\n`);
}

async function greet(app: App, url: string, terminal: Terminal): Promise<void> {
  const key = await ensureDemoKey(app.store, Date.now());
  const bearer = key === null ? '"Authorization: Bearer $LDS_KEY"' : `'Authorization: Bearer ${key}'`;
  await terminal.out([
    '',
    `Lead Data Service on ${url}, with demonstration data`,
    ...(key === null ? [] : [`Key, shown this once: ${key}`]),
    'Try it:',
    `  curl -sS ${url}/v1/find -H ${bearer} -d '${FIRST_SEARCH}'`,
    '',
    '',
  ].join('\n'));
}

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
