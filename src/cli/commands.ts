import type { Command } from './command.ts';

/** A command as `lds --help` lists it; its file is loaded only when it runs. */
export type CommandEntry = {
  readonly name: string;
  readonly summary: string;
  /** Goes on when nobody reads stdout; other commands end then. */
  readonly service?: true;
  load(): Promise<Command>;
};

export const COMMANDS: readonly CommandEntry[] = [
  { name: 'find', summary: 'search a running gateway', load: async () => (await import('./find.ts')).find },
  { name: 'doctor', summary: 'check this machine and the configuration', load: async () => (await import('./doctor.ts')).doctor },
];
