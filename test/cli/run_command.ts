import type { Command } from '../../src/cli/command.ts';
import { dispatch } from '../../src/cli/dispatch.ts';
import type { Config } from '../../src/config/schema.ts';

/** Runs a command away from any terminal. */
export async function runCommand(name: string, command: Command, args: readonly string[], config: () => Promise<Config>): Promise<{ code: number | null; out: string; notes: string }> {
  const said = { out: '', notes: '' };
  const code = await dispatch([name, ...args], {
    commands: [{ name, summary: '', load: async () => command }],
    terminal: { out: (text) => { said.out += text; }, note: (text) => { said.notes += text; }, interactive: false, signal: new AbortController().signal },
    config,
  });
  return { code, ...said };
}
