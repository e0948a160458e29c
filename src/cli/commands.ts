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
  { name: 'sources', summary: 'List the lake sources: rows, size, age', load: async () => (await import('./sources.ts')).sourcesCommand },
  { name: 'erase', summary: 'Remove rows from a lake source by their ids', load: async () => (await import('./erase.ts')).eraseCommand },
  { name: 'compact', summary: 'Rewrite a lake source in the present format', load: async () => (await import('./compact.ts')).compactCommand },
  { name: 'keys', summary: 'Create, list and revoke API keys', load: async () => (await import('./keys.ts')).keysCommand },
  { name: 'accounts', summary: 'List accounts; set plan, status or password', load: async () => (await import('./accounts.ts')).accountsCommand },
  { name: 'invites', summary: 'Create and list invites', load: async () => (await import('./invites.ts')).invitesCommand },
  { name: 'suppress', summary: 'Keep the list of what must never be returned', load: async () => (await import('./suppress.ts')).suppressCommand },
  { name: 'find', summary: 'Search a running gateway', load: async () => (await import('./find.ts')).findCommand },
  { name: 'validate', summary: 'Validate the email addresses in a file', load: async () => (await import('./validate.ts')).validateCommand },
  { name: 'bench', summary: 'Put load on a running gateway and measure the answers', load: async () => (await import('./bench.ts')).benchCommand },
  { name: 'lists', summary: 'Replace a built-in list of mail domains', load: async () => (await import('./lists.ts')).listsCommand },
  { name: 'doctor', summary: 'Check the configuration, this machine and the sources', load: async () => (await import('./doctor.ts')).doctorCommand },
];
