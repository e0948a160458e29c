import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One system call that came back with success, in the order in which they did. */
export type Call = {
  readonly name: string;
  /** As they were written, texts and paths in hexadecimal. */
  readonly args: readonly string[];
  readonly result: number;
  /** How many calls of the list had come back when this one began. */
  readonly since: number;
};

type Recorded = { readonly status: number | null; readonly calls: readonly Call[]; readonly stderr: string };

const CALLS = [
  'openat', 'open', 'creat', 'write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'ftruncate', 'truncate', 'fallocate', 'rename', 'renameat', 'renameat2', 'link', 'linkat',
  'symlink', 'symlinkat', 'unlink', 'unlinkat', 'mkdir', 'mkdirat', 'rmdir', 'fsync', 'fdatasync', 'sync_file_range', 'copy_file_range', 'sendfile', 'lseek', 'io_uring_setup',
];
const LINE = /^(\d+) +(.*)$/s;
const BEGUN = / <unfinished \.\.\.>$/;
const RESUMED = /^<\.\.\. \w+ resumed>/;
const CALL = /^(\w+)\((.*)\) += (-?\d+)/s;

/** Why no calls can be recorded here, or null. */
export function noRecorder(): string | null {
  if (process.platform !== 'linux') return 'strace is of Linux alone';
  const { status } = spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']);
  return status === 0 ? null : 'strace is not installed, or may not trace here';
}

/** Runs Node to its end, and records how it and its threads changed files. */
export function record(args: readonly string[], env: Readonly<Record<string, string>> = {}): Recorded {
  const folder = mkdtempSync(join(tmpdir(), 'lds-recorded-'));
  try {
    const out = join(folder, 'calls');
    const command = ['-f', '-y', '-xx', '-s', String(1 << 26), '--seccomp-bpf', '-e', `trace=${CALLS.join()}`, '-e', 'signal=none', '-o', out, process.execPath, ...args];
    const { status, stderr } = spawnSync('strace', command, { env: { ...process.env, ...env }, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
    return { status, stderr, calls: callsOf(readFileSync(out, 'latin1')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function callsOf(text: string): Call[] {
  const calls: Call[] = [];
  const begun = new Map<string, { readonly half: string; readonly since: number }>();
  for (const line of text.split('\n')) {
    const [, thread, said] = LINE.exec(line) ?? [];
    if (thread === undefined || said === undefined) continue;
    if (BEGUN.test(said)) {
      begun.set(thread, { half: said.replace(BEGUN, ''), since: calls.length });
      continue;
    }
    const before = RESUMED.test(said) ? begun.get(thread) : undefined;
    const [, name, args, result] = CALL.exec(before === undefined ? said : before.half + said.replace(RESUMED, '')) ?? [];
    if (name === undefined || Number(result) < 0) continue;
    calls.push({ name, args: args!.split(/, (?![^[]*\])/), result: Number(result), since: before?.since ?? calls.length });
  }
  return calls;
}
