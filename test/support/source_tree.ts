import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** The project's own files, as the rules about them read them. */
const ROOT = join(import.meta.dirname, '..', '..', '..');

const NOT_OURS = new Set(['node_modules', 'dist', 'data', '.git']);

/** `names`: what is imported; null where it is the whole file. */
type Import = { readonly from: string; readonly kind: 'static' | 'dynamic'; readonly names: readonly string[] | null };
export type SourceFile = {
  /** From the root of the project, such as `src/http/router.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text with comments, strings and regular expressions blanked, line by line as it was. */
  readonly code: string;
  readonly imports: readonly Import[];
};

/** Every file below `folder`, as a path from the root. */
export function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (NOT_OURS.has(path)) return [];
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  }).sort();
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readText(path)) as Record<string, unknown>;
}

export function sourceFiles(folder: string): SourceFile[] {
  return filesIn(folder).filter((path) => path.endsWith('.ts')).map((path) => {
    const text = readText(path);
    return { path, text, code: blanked(text), imports: importsOf(text) };
  });
}

const TOKEN = new RegExp([
  /\/\/[^\n]*/, /\/\*[^]*?\*\//,
  /'(?:[^'\\\n]|\\.)*'/, /"(?:[^"\\\n]|\\.)*"/, /`(?:[^`\\]|\\[^])*`/,
  /(?<=[(,=:[!&|?{};>]\s{0,4}|return\s)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/,
].map(({ source }) => source).join('|'), 'g');

function blanked(text: string): string {
  return text.replace(TOKEN, (token) => token.replace(/[^\n]/g, ' '));
}

const STATIC = /^(?:import|export)\s(?:([^;'"]*?)\sfrom\s)?'([^']+)'/gm;
const DYNAMIC = /\b(?:import|require)\('([^']+)'\)/g;

function importsOf(text: string): Import[] {
  return [
    ...Array.from(text.matchAll(STATIC), ([, clause = '', from]): Import => ({ from: from!, kind: 'static', names: namesIn(clause) })),
    ...Array.from(text.matchAll(DYNAMIC), ([, from]): Import => ({ from: from!, kind: 'dynamic', names: null })),
  ];
}

function namesIn(clause: string): readonly string[] | null {
  return clause.includes('*') ? null : Array.from(clause.matchAll(/[{,]\s*(?:type\s+)?(\w+)/g), ([, name]) => name!);
}

/** The project's own file that an import names; null for a package. */
export function target(file: SourceFile, { from }: Import): string | null {
  return from.startsWith('.') ? relative('.', normalize(join(dirname(file.path), from))) : null;
}

/** The name of the package that an import names; null for our own files and Node's modules. */
export function packageOf({ from }: Import): string | null {
  if (from.startsWith('.') || from.startsWith('node:')) return null;
  return from.split('/').slice(0, from.startsWith('@') ? 2 : 1).join('/');
}

type Span = { readonly line: number; readonly lines: number };

const OPENS_FUNCTION = /^( *)(?:export )?(?:(?:async )?function\b|(?:static |override |private |async |get |set |\*|#)*[\w#]+\(.*\).*\{$|(?:const|return|readonly|[\w.#]+:?).*=> \{$)/;
const OPENS_BLOCK = /^ *(?:\} )?(?:if|for|while|switch|else|try|catch|do|return \{|class)\b/;

/** Functions by the indentation of their first line and of the brace that ends them: right for code laid out as this is. */
export function functionsOf({ code }: SourceFile): Span[] {
  const lines = code.split('\n');
  return lines.flatMap((line, index) => {
    const [, indent] = OPENS_BLOCK.test(line) ? [] : OPENS_FUNCTION.exec(line) ?? [];
    if (indent === undefined) return [];
    const end = lines.findIndex((later, at) => at > index && later.startsWith(`${indent}}`));
    return end === -1 ? [] : [{ line: index + 1, lines: end - index + 1 }];
  });
}

/** A way from a file back to itself along static imports; null where there is none. */
export function cycle(files: readonly SourceFile[]): readonly string[] | null {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): readonly string[] | null => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    const file = byPath.get(path);
    if (file === undefined || done.has(path)) return null;
    for (const edge of file.imports) {
      const next = edge.kind === 'static' ? target(file, edge) : null;
      const found = next === null ? null : visit(next, [...way, path]);
      if (found !== null) return found;
    }
    done.add(path);
    return null;
  };
  for (const { path } of files) {
    const found = visit(path, []);
    if (found !== null) return found;
  }
  return null;
}
