import { readFileSync } from 'node:fs';

/** As package.json has it, which lies above `src/`, or above `dist/` where this is compiled. */
const PACKAGE = new URL(import.meta.url.endsWith('.ts') ? '../../package.json' : '../../../package.json', import.meta.url);

const described = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { readonly version: string; readonly engines: { readonly node: string } };

export const VERSION = described.version;
export const NODE_RANGE = described.engines.node;

/** Whether a version of Node is in the range. Of what a range may say only the forms that package.json uses are read: `^20.18.1 || >=22.2.0`. */
export function isInNodeRange(version: string): boolean {
  const numbers = numbersOf(version);
  return NODE_RANGE.split('||').some((part) => {
    const oldest = numbersOf(part);
    const differs = oldest.findIndex((number, at) => number !== numbers[at]);
    return differs === -1 || (numbers[differs]! > oldest[differs]! && (differs > 0 || part.trim().startsWith('>=')));
  });
}

function numbersOf(text: string): readonly number[] {
  return (/\d+\.\d+\.\d+/.exec(text)?.[0] ?? '').split('.').map(Number);
}
