import { readFileSync } from 'node:fs';

/** As package.json has it, which lies two folders above this one's folder in `dist/`. */
export const VERSION = (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }).version;
