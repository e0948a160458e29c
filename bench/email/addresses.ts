import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Row = { readonly email: string; readonly valid: boolean };

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'email');

function rows(name: string): readonly Row[] {
  return JSON.parse(readFileSync(join(FIXTURES, name), 'utf8')) as Row[];
}

/** Addresses on which the suites of several validators agree, and how. */
export function agreed(): readonly Row[] {
  return rows('agreed.json');
}

/** Every odd address of the fixtures, over and over. */
export function hard(count: number): string[] {
  const odd = [...rows('agreed.json'), ...rows('isemail.json')].map(({ email }) => email);
  return Array.from({ length: count }, (_, index) => odd[index % odd.length]!);
}

const FIRST = ['jane', 'john', 'maria', 'li', 'ahmed', 'zoe', 'peter', 'anna', 'tom', 'ines'];
const LAST = ['doe', 'smith', 'garcia', 'wang', 'hassan', 'mueller', 'novak', 'rossi', 'brown', 'silva'];
const COMMON = ['gmail.com', 'yahoo.com', 'hotmail.com', 'outlook.com', 'icloud.com', 'gmx.de'];

/** What lists of contacts hold: names, a tag or a role now and then, a third at the large providers, `domains` others, a few bad ones. */
export function realistic(count: number, domains: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${FIRST[index % 10]!}.${LAST[Math.floor(index / 10) % 10]!}${index % 7 === 0 ? index : ''}`;
    const domain = index % 3 === 0 ? COMMON[index % COMMON.length]! : `company-${index % domains}.com`;
    if (index % 50 === 0) return `${name}@@${domain}`;
    return index % 20 === 0 ? `${name}+news@${domain}` : `${name}@${domain}`;
  });
}
