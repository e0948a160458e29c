import { requirePackage } from '../lib/require_package.ts';
import { isObject } from '../model/json.ts';
import { LIMITS } from './limits.ts';

/** The YAML file as plain data, `${NAME}` replaced from the environment, and what is wrong with it. No problem ever holds a value. */
export type Document = {
  readonly values: Readonly<Record<string, unknown>>;
  /** Variables that the file asked for. */
  readonly used: ReadonlySet<string>;
  readonly problems: readonly string[];
};

export const EMPTY_DOCUMENT: Document = { values: {}, used: new Set(), problems: [] };

export type Environment = Readonly<Record<string, string | undefined>>;

/** What stands for a byte that is no UTF-8, once the file is a text. */
const NO_LETTER = '\ufffd';

export function readDocument(source: string, env: Environment): Document {
  const strange = source.indexOf(NO_LETTER);
  if (strange !== -1) return { ...EMPTY_DOCUMENT, problems: [`LDS_CONFIG: line ${lineOf(source, strange)} is not in UTF-8: save the file in that encoding`] };
  // Only where there is such a file: most commands, and many services, have none.
  const { parseDocument } = requirePackage('yaml') as typeof import('yaml');
  // Pretty messages would quote the line at fault, which may hold a secret, and warnings the key, on stderr.
  const document = parseDocument(source, { prettyErrors: false, merge: true, logLevel: 'error' });
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) {
    return { ...EMPTY_DOCUMENT, problems: [`LDS_CONFIG: line ${lineOf(source, fault.pos[0])} is not valid YAML: ${fault.code.toLowerCase().replaceAll('_', ' ')}`] };
  }
  let plain: unknown;
  try {
    plain = document.toJS() ?? {};
  } catch {
    return { ...EMPTY_DOCUMENT, problems: ['LDS_CONFIG: an alias is not resolved, repeated too often, or merged by << though it is no map'] };
  }
  const used = new Set<string>();
  const problems: string[] = [];
  const values = substitute(plain, '', { env, used, problems });
  if (isObject(values)) return { values, used, problems };
  return { values: {}, used, problems: [...problems, 'LDS_CONFIG: expected a map of settings'] };
}

function lineOf(source: string, at: number): number {
  return source.slice(0, at).split('\n').length;
}

type Substitution = { readonly env: Environment; readonly used: Set<string>; readonly problems: string[] };

function substitute(value: unknown, path: string, within: Substitution, depth = 0): unknown {
  if (typeof value === 'string') return substituteText(value, path, within);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === LIMITS.jsonDepthMax) {
    within.problems.push('LDS_CONFIG: nested too deep, or an alias inside its own anchor');
    return null;
  }
  if (Array.isArray(value)) return value.map((item: unknown, index) => substitute(item, `${path}[${index}]`, within, depth + 1));
  // As `!!omap`, `!!set` and `!!binary` make them: their members would pass for none.
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    within.problems.push(`${path === '' ? 'LDS_CONFIG' : path}: expected a list, a map or a text without a tag such as !!omap`);
    return {};
  }
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const inner = path === '' ? key : `${path}.${key}`;
    if (key === '__proto__') within.problems.push(`${inner}: not a setting`);
    else out[key] = substitute(item, inner, within, depth + 1);
  }
  return out;
}

const VARIABLE = /\$\{([^}]*)\}?/g;

function substituteText(text: string, path: string, { env, used, problems }: Substitution): string {
  return text.replace(VARIABLE, (whole, name: string) => {
    if (!/^[A-Za-z_]\w*$/.test(name) || !whole.endsWith('}')) {
      problems.push(`${path}: expected \${NAME} with the name of a variable`);
      return '';
    }
    used.add(name);
    const value = env[name] ?? '';
    if (value === '') problems.push(`${path}: the variable ${name} is not set`);
    return value;
  });
}
