import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline';
import { FORM_EXPECTED, formOf, shownSuppression, SUPPRESSION_FORMS, suppressionTerms, type SuppressionForm } from '../accounts/suppress.ts';
import { LIMITS } from '../config/limits.ts';
import type { SuppressionTerm } from '../model/suppression/term.ts';
import type { Store } from '../store/store.ts';
import { EXIT, IN_STORE, UsageError, type Command, type CommandInput } from './command.ts';
import { counted } from './counted.ts';
import { namedStream } from './named_file.ts';
import { withStore } from './store.ts';
import { oneOf, textOption, verbOptions } from './words.ts';

const HELP = `Usage:
  lds suppress add VALUE... | --file FILE [--form FORM] [--json]
  lds suppress remove VALUE... | --file FILE [--form FORM] [--json]
  lds suppress list [--json]

Rows that match are never returned again, by any source; running gateways follow within a second. A value is one of:
  an email address, of which only the SHA-256 is kept and listed
  the SHA-256 of an address (trimmed, lower case, in hexadecimal)
  a domain, of the address or the company, with all domains below it
  the address of a LinkedIn page

Options:
  --file FILE  one value per line; if there are several columns, the first counts; - is standard input
  --form FORM  ${SUPPRESSION_FORMS.join(', ')} (default: guessed for each value)
  --json       print JSON

Examples:
  lds suppress add jo@example.com example.org
  lds suppress add --file hashes.txt --form email_sha256

${IN_STORE}
Exits with 0 when every value was taken, 1 when some were not (the first of these are named by line), 2 for a mistake in
the command or the configuration.
`;

/** Faulty lines that are told one by one. */
const FAULTS_TOLD = 5;

export const suppressCommand: Command = {
  help: HELP,
  options: { file: { type: 'string' }, form: { type: 'string' }, json: { type: 'boolean' } },
  run(input) {
    const [verb, ...values] = input.files;
    const file = textOption(input.values, 'file');
    if (verb === 'list' && values.length === 0) return list(input);
    if (verb !== 'add' && verb !== 'remove') throw new UsageError('Say add, remove or list.');
    if ((values.length === 0) === (file === undefined)) throw new UsageError('Give values, or a file of them with --file.');
    const form = oneOf(input.values, 'form', SUPPRESSION_FORMS);
    return file === undefined ? changeValues(input, verb, values, form) : changeFile(input, verb, file, form);
  },
};

type Verb = 'add' | 'remove';
/** An address of a domain that is written in two ways is two entries. */
type Tally = { values: number; entries: number; changed: number; faults: number };

async function changeValues(input: CommandInput, verb: Verb, values: readonly string[], form: SuppressionForm | undefined): Promise<number> {
  const terms = values.flatMap((value) => {
    const assumed = form ?? formOf(value);
    const found = suppressionTerms(assumed, value);
    if (found === null) throw new UsageError(`Not ${form === undefined ? expected(assumed) : FORM_EXPECTED[form]}: ${value.slice(0, LIMITS.echoedNameCharactersMax)}`);
    return found;
  });
  return withStore(input, async (store) => report(input, verb, { values: values.length, entries: terms.length, changed: await write(store, verb, terms), faults: 0 }));
}

/** What a value was guessed to be first, then what else it could have been. */
function expected(guessed: SuppressionForm): string {
  return [guessed, ...SUPPRESSION_FORMS.filter((form) => form !== guessed)].map((form) => FORM_EXPECTED[form]).join(', or ');
}

async function changeFile(input: CommandInput, verb: Verb, file: string, form: SuppressionForm | undefined): Promise<number> {
  const { stream, fraction } = await namedStream(file);
  return withStore(input, async (store) => {
    const tally: Tally = { values: 0, entries: 0, changed: 0, faults: 0 };
    let terms: SuppressionTerm[] = [];
    let line = 0;
    // As bytes: what is not UTF-8 would be another address, which hides nobody.
    for await (const bytes of createInterface({ input: stream.setEncoding('latin1'), crlfDelay: Infinity, signal: input.terminal.signal })) {
      line += 1;
      const { value, lost } = valueOf(bytes);
      if (value === '') continue;
      const found = lost ? null : suppressionTerms(form ?? formOf(value), value);
      if (found === null) noteFault(input, tally, line, lost ? 'it is not text in UTF-8' : `it is none of ${SUPPRESSION_FORMS.join(', ')}`);
      else {
        terms.push(...found);
        tally.values += 1;
        tally.entries += found.length;
      }
      if (terms.length < LIMITS.suppressionTermsInWrite) continue;
      tally.changed += await write(store, verb, terms);
      terms = [];
      input.terminal.signal.throwIfAborted();
      progress(input, tally, fraction());
    }
    input.terminal.signal.throwIfAborted();
    tally.changed += await write(store, verb, terms);
    if (input.terminal.interactive) input.terminal.note('\r\x1b[K');
    return report(input, verb, tally);
  });
}

/** `lost`: whether letters of it were. */
function valueOf(line: string): { readonly value: string; readonly lost: boolean } {
  if (!/[\x80-\xff]/.test(line)) return { value: firstColumn(line), lost: false };
  const bytes = Buffer.from(line, 'latin1');
  const value = firstColumn(bytes.toString());
  return { value, lost: value.includes('\ufffd') && !isUtf8(bytes) };
}

/** A quote that does not close a cell is part of an address, as in `"jo"@example.com`. */
function firstColumn(line: string): string {
  const text = line.replace(/^\ufeff/, '');
  const [, quoted] = /^\s*"((?:[^"]|"")*)"\s*(?:[,;\t]|$)/.exec(text) ?? [];
  return (quoted?.replaceAll('""', '"') ?? text.split(/[,;\t]/, 1)[0]!).trim();
}

async function write(store: Store, verb: Verb, terms: readonly SuppressionTerm[]): Promise<number> {
  if (terms.length === 0) return 0;
  return verb === 'add' ? store.addSuppressions(terms, Date.now()) : store.removeSuppressions(terms);
}

function noteFault({ terminal }: CommandInput, tally: Tally, line: number, why: string): void {
  tally.faults += 1;
  if (tally.faults <= FAULTS_TOLD) terminal.note(`Line ${line} is not taken: ${why}.\n`);
}

function progress({ terminal }: CommandInput, { values }: Tally, share: number | null): void {
  if (terminal.interactive) terminal.note(`\r${share === null ? '' : `${Math.floor(share * 100)} %, `}${counted(values, 'value')}`);
}

async function report({ terminal, values: options }: CommandInput, verb: Verb, { values, entries, changed, faults }: Tally): Promise<number> {
  const word = verb === 'add' ? 'added' : 'removed';
  if (options['json'] === true) await terminal.out(`${JSON.stringify({ values, [word]: changed, refused: faults })}\n`);
  const others = changed < entries ? `, the others were ${verb === 'add' ? 'there already' : 'not there'}` : '';
  terminal.note(`${counted(values, 'value')}: ${counted(changed, 'entry', 'entries')} ${word}${others}.\n`);
  if (faults > 0) terminal.note(`${counted(faults, 'line was', 'lines were')} not taken.\n`);
  return faults > 0 ? EXIT.failed : EXIT.done;
}

/** Page by page: the list may be larger than the memory. */
async function list(input: CommandInput): Promise<number> {
  verbOptions(input.values, 'list', ['json']);
  const json = input.values['json'] === true;
  return withStore(input, async (store) => {
    if (json) await input.terminal.out('[');
    let afterRevision = 0;
    for (let page = 0; ; page += 1) {
      const rows = await store.suppressions(null, { afterRevision, rowsMax: LIMITS.storePageRows });
      const shown = rows.map(shownSuppression);
      const lines = shown.map((one) => (json ? JSON.stringify(one) : `${one.form}\t${one.value}\t${one.created_at}`));
      if (lines.length > 0) await input.terminal.out(json ? `${page === 0 ? '' : ','}\n${lines.join(',\n')}` : `${lines.join('\n')}\n`);
      if (rows.length < LIMITS.storePageRows) break;
      afterRevision = rows.at(-1)!.revision;
      input.terminal.signal.throwIfAborted();
    }
    if (json) await input.terminal.out('\n]\n');
    return EXIT.done;
  });
}
