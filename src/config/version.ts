import { readFileSync } from 'node:fs';

/** As package.json has it, which lies above `src/`, or above `dist/` where this is compiled. */
const PACKAGE = new URL(import.meta.url.endsWith('.ts') ? '../../package.json' : '../../../package.json', import.meta.url);

export const VERSION = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
