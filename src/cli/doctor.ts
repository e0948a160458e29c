import { ConfigError } from '../config/config_error.ts';
import { thisMachine } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { aborted } from '../lib/aborted.ts';
import { EXIT, IN_DATA_FOLDER, type Command, type CommandInput } from './command.ts';
import { fail, ok, type Check } from './doctor/check.ts';
import { checkLakes } from './doctor/lakes.ts';
import { checkAddresses, checkDataFolder, checkMemory, checkNativeModules, checkOpenFiles, PARQUET_ENGINE } from './doctor/machine.ts';
import { checkMailboxStage, checkPorts, checkResolvers } from './doctor/network.ts';
import { checkRedis } from './doctor/redis.ts';
import { checkSources } from './doctor/sources.ts';
import { checkStore } from './doctor/store.ts';
import { noWords } from './words.ts';

const HELP = `Usage:
  lds doctor [--json]

Checks the configuration, this machine, the servers that are configured, the lakes and the other sources, and says what to do
about each problem. It changes nothing, and may run beside a gateway. It reads every byte of the accounts' file and of the
lakes, as a gateway does at its start: some GiB a second if the disk allows.

Options:
  --json  print {ok, checks: [{name, status, detail, advice}]}

Examples:
  lds doctor
  LDS_CONFIG=config/full.yaml lds doctor --json

${IN_DATA_FOLDER}
Exits with 0 when nothing failed (warnings are not failures), 1 when something did, 2 for a mistake in the command.
`;

export const doctorCommand: Command = {
  help: HELP,
  options: { json: { type: 'boolean' } },
  run,
};

async function run({ values, files, terminal, config }: CommandInput): Promise<number> {
  noWords(files);
  const settings = await configured(config);
  // What it waits for is not told to end: the process goes, and that with it.
  const checks = await Promise.race([examine(settings), aborted(terminal.signal).then(() => null)]);
  if (checks === null) return EXIT.failed;
  const failed = checks.some(({ status }) => status === 'fail');
  await terminal.out(values['json'] === true ? `${JSON.stringify({ ok: !failed, checks }, null, 2)}\n` : report(checks));
  return failed ? EXIT.failed : EXIT.done;
}

type Settings = { readonly config: Config; readonly checks: readonly Check[] };

async function examine({ config, checks }: Settings): Promise<Check[]> {
  const node = ok('node', `version ${process.versions.node}`);
  const machine = [...checks, ...checkDataFolder(config), checkMemory(config, thisMachine().memoryBytes), checkOpenFiles()];
  const addresses = checkAddresses();
  // What fails to get such a memory Node throws beside the call that wants it, which would end the doctor. The driver of PostgreSQL wants it as it is loaded.
  if (addresses.length > 0) return [node, ...machine, ...addresses];
  const { checkDatabase } = await import('./doctor/database.ts');
  const loading = checkNativeModules(config.http);
  const examined = loading.then((modules) => checkSources(config, modules.every(({ name, status }) => name !== PARQUET_ENGINE || status !== 'fail')));
  const [native, ports, resolvers, mailboxes, database, redis, sources] = await Promise.all([
    loading, checkPorts(config), checkResolvers(config), checkMailboxStage(config), checkDatabase(config), checkRedis(config), examined,
  ]);
  // Checksums hold the loop for as long as they take: none of the others is to be late for it.
  const lakes = [...checkStore(config), ...await checkLakes(config)];
  return [node, ...native, ...machine, ...ports, resolvers, ...mailboxes, ...database, ...redis, ...lakes, ...sources];
}

/** Under a configuration that is not right the rest is still looked at, by what of it is. */
async function configured(load: () => Promise<Config>): Promise<Settings> {
  try {
    return { config: await load(), checks: [ok('configuration', 'is right')] };
  } catch (error) {
    if (!(error instanceof ConfigError) || error.rest === null) throw error;
    const advice = `correct it; the checks below go by the settings that are right${error.problems.some(isOfSources) ? ', and look at no source of the file' : ''}`;
    const checks = error.problems.map((problem) => fail('configuration', problem, advice));
    return { config: error.rest, checks };
  }
}

/** Where one entry is not right none of the list counts. */
function isOfSources(problem: string): boolean {
  return /^sources[:.[]/.test(problem);
}

function report(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.map(({ name, status, detail, advice }) =>
    `${status.padEnd(4)}  ${name.padEnd(width)}  ${detail}\n${advice === undefined ? '' : `${' '.repeat(width + 8)}→ ${advice}\n`}`).join('');
}
