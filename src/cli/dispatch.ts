import { parseArgs } from 'node:util';
import { ConfigError } from '../config/config_error.ts';
import type { Config } from '../config/schema.ts';
import { isInNodeRange, NODE_RANGE, VERSION } from '../config/version.ts';
import { nearest } from '../lib/nearest.ts';
import { AppError } from '../model/errors.ts';
import { EXIT, UsageError, type Command, type Terminal } from './command.ts';
import type { CommandEntry } from './commands.ts';

type Surroundings = {
  readonly commands: readonly CommandEntry[];
  readonly terminal: Terminal;
  readonly config: () => Promise<Config>;
  readonly nodeVersion?: string;
  /** Whether errors are told with their stack. */
  readonly verbose?: boolean;
  /** Told before the command runs. */
  readonly chosen?: (entry: CommandEntry) => void;
};

/** One command line to its exit code; null where the command left off as it was told to. Whatever fails is told in one line, or for a configuration in one a problem. */
export async function dispatch(argv: readonly string[], surroundings: Surroundings): Promise<number | null> {
  const { commands, terminal } = surroundings;
  const [name, ...args] = argv;
  if (name === 'help' && args.length > 0) return dispatch([...args, '--help'], surroundings);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    await terminal.out(overview(commands));
    return EXIT.done;
  }
  if (name === '--version' || name === '-v') {
    await terminal.out(`${VERSION}\n`);
    return EXIT.done;
  }
  const entry = commands.find((command) => command.name === name);
  if (entry === undefined) return misused(terminal, 'lds', unknown(name.startsWith('-') ? 'option' : 'command', name, [...commands.map((command) => command.name), 'help', '--help', '--version']));
  return runCommand(entry, args, surroundings);
}

async function runCommand(entry: CommandEntry, args: readonly string[], surroundings: Surroundings): Promise<number | null> {
  const { terminal, config, nodeVersion = process.versions.node, chosen, verbose } = surroundings;
  // Before anything is loaded: what a Node has not fails there, with a name that tells nobody what to do.
  if (!isInNodeRange(nodeVersion)) {
    terminal.note(`lds ${entry.name}: This is Node ${nodeVersion}, and ${NODE_RANGE} is needed.\n`);
    return EXIT.failed;
  }
  const command = await entry.load();
  if (asksForHelp(args)) {
    await terminal.out(`${command.help.trim()}\n`);
    return EXIT.done;
  }
  try {
    const { values, positionals } = parsed(command, args);
    chosen?.(entry);
    return await command.run({ values, files: positionals, terminal, config });
  } catch (error) {
    if (error instanceof UsageError) return misused(terminal, `lds ${entry.name}`, error.message, usage(entry, command));
    if (error instanceof ConfigError) return misused(terminal, `lds ${entry.name}`, 'The configuration is not right:', ...error.problems.map((problem) => `  ${problem}`));
    if (error instanceof Error && terminal.signal.aborted && error.name === 'AbortError') return null;
    terminal.note(`lds ${entry.name}: ${told(error)}\n`);
    if (verbose && error instanceof Error) terminal.note(`${error.stack ?? ''}\n`);
    return EXIT.failed;
  }
}

/** Of the store also what lies behind it: callers of the API are not to see that, but whoever is at the terminal is to mend it. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // All that Node says where a thread cannot be started.
  if (error.message === 'EAGAIN') return 'The system lets this process start no more threads (EAGAIN): raise the limit of its processes (ulimit -u, TasksMax of a systemd unit, the pids of a container).';
  const behind = error instanceof AppError && error.code === 'store_unavailable' && error.cause instanceof Error ? error.cause.message : null;
  return behind === null ? error.message : `${error.message} It says: ${behind}.`;
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

function parsed(command: Command, args: readonly string[]) {
  const { tokens, ...found } = tokenised(command, args);
  const single = tokens.flatMap((token) => (token.kind === 'option' && isSingle(command, token.name) ? [token.name] : []));
  const again = single.find((name, at) => single.indexOf(name) < at);
  // The last would count: of two files of ids that are to be erased, the first would be left out without a word.
  if (again !== undefined) throw new UsageError(`--${again} is given more than once, and takes one value.`);
  return found;
}

function isSingle({ options }: Command, name: string): boolean {
  return options[name]?.type === 'string' && options[name].multiple !== true;
}

function tokenised(command: Command, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: command.options, strict: true, allowPositionals: true, tokens: true });
  } catch (error) {
    if (!(error instanceof TypeError) || !('code' in error)) throw error;
    const [, option] = /^Unknown option '(-[^']*)'/.exec(error.message) ?? [];
    if (option === undefined) throw new UsageError(error.message, { cause: error });
    throw new UsageError(unknown('option', option, [...Object.keys(command.options), 'help'].map((name) => `--${name}`)), { cause: error });
  }
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `There is no ${what} ${name}.${meant === null ? '' : ` Did you mean ${meant}?`}`;
}

/** The help up to its first blank line. */
function usage({ name }: CommandEntry, { help }: Command): string {
  return `${help.trim().split(/\n\s*\n/)[0]!}\nTry lds ${name} --help.`;
}

function misused(terminal: Terminal, who: string, message: string, ...lines: readonly string[]): number {
  terminal.note([`${who}: ${message}`, ...(lines.length === 0 && who === 'lds' ? ['Try lds --help.'] : lines), ''].join('\n'));
  return EXIT.misused;
}

function overview(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `lds: a contact and company data gateway

Usage: lds COMMAND [OPTION ...] [FILE ...]

${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

lds COMMAND --help explains a command; lds --version prints the version.
Settings come from the file that LDS_CONFIG names and from LDS_* variables; docs/operations.md lists them.
`;
}
