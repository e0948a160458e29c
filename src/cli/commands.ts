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
  { name: 'serve', summary: 'Run the gateway', service: true, load: async () => (await import('./serve.ts')).serveCommand },
  { name: 'ingest', summary: 'Publish files as a lake source', load: async () => (await import('./ingest.ts')).ingestCommand },
  { name: 'sources', summary: 'List what is in the lake', load: async () => (await import('./sources.ts')).sourcesCommand },
  { name: 'erase', summary: 'Remove rows of a lake source by their ids', load: async () => (await import('./erase.ts')).eraseCommand },
  { name: 'compact', summary: 'Rewrite a lake source as few segments as its size asks for', load: async () => (await import('./compact.ts')).compactCommand },
  { name: 'keys', summary: 'Create, list and revoke API keys', load: async () => (await import('./keys.ts')).keysCommand },
  { name: 'accounts', summary: 'List accounts, set their plan, status and password', load: async () => (await import('./accounts.ts')).accountsCommand },
  { name: 'invites', summary: 'Create and list invites', load: async () => (await import('./invites.ts')).invitesCommand },
  { name: 'suppress', summary: 'Add, list and remove what must never be returned', load: async () => (await import('./suppress.ts')).suppressCommand },
  { name: 'find', summary: 'Search a running gateway', load: async () => (await import('./find.ts')).findCommand },
  { name: 'validate', summary: 'Validate the email addresses of a file', load: async () => (await import('./validate.ts')).validateCommand },
  { name: 'bench', summary: 'Load a running gateway with searches and tell what came back', load: async () => (await import('./bench.ts')).benchCommand },
  { name: 'lists', summary: 'Replace a list of mail domains by your own', load: async () => (await import('./lists.ts')).listsCommand },
  { name: 'doctor', summary: 'Check the configuration, this machine and the sources', load: async () => (await import('./doctor.ts')).doctorCommand },
];
