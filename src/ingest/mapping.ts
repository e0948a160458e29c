import { fold, words } from '../lib/fold.ts';
import { DATASETS, type Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { IngestError } from './failure.ts';
import { namePart } from './languages.ts';
import { leadColumns } from './lead_table.ts';
import { SYNONYMS } from './synonyms.ts';

/** `--map column=field`; a null field drops the column. */
export type Override = { readonly column: string; readonly field: string | null };

/** Which columns feed a field, the first that says something winning. `unsure` is a key only if it proves to be one. `places` are those of the columns that hold places, which may tell their country; `currency` is the column that says in which money the others are. */
export type Feed = { readonly field: string; readonly columns: readonly string[]; readonly unsure: boolean; readonly places: readonly string[]; readonly currency: string | null };

export type Mapping = { readonly feeds: readonly Feed[]; readonly unused: readonly string[] };

type Guess = { readonly field: string; readonly place: number; readonly unsure: boolean };

/** What the values of a file tell of its columns. `composed` of records no field can be, `unlike` any field are those of which nothing is guessed; `untitled` hold no titles of jobs, `pages` no sites of companies, `states` what may be states and no countries, `numbers` nothing but numbers, and `folders` say of all rows what those say better themselves. */
type Values = Readonly<Record<'composed' | 'unlike' | 'untitled' | 'pages' | 'states' | 'numbers' | 'folders', ReadonlySet<string>>>;

const UNTOLD: Values = { composed: new Set(), unlike: new Set(), untitled: new Set(), pages: new Set(), states: new Set(), numbers: new Set(), folders: new Set() };
const SITES: ReadonlySet<string> = new Set(['website', 'domain', 'company_domain']);

/** What LinkedIn calls the address of a page where it exports the connections of a person, with the day of each. */
const PAGE: readonly Guess[] = [{ field: 'linkedin_url', place: 0, unsure: false }];

/**
 * Decides what each column of a file is. Overrides go before guesses, and take their field whole. Of columns that are keys by their names one alone
 * is guessed: what is a key in one may be that of another row in the next.
 */
export function mapColumns(columns: readonly string[], dataset: Dataset, extras: readonly ExtraField[], overrides: readonly Override[], values = UNTOLD): Mapping {
  const fields = leadColumns(dataset, extras).map(({ name }) => name);
  const given = overrides.flatMap((override) => resolved(override, columns, fields));
  const decided = new Set(given.map(({ column }) => column));
  const taken = new Set(given.map(({ field }) => field));
  const dropped = new Set(given.filter(({ field }) => field === null).map(({ column }) => column));
  const beside = besideOf(columns, dataset);
  const found = columns.filter((column) => !decided.has(column)).flatMap((column) => guessesOf(column, dataset, extras, beside, values).map((guess): Feeding => ({ ...guess, column })));
  const feedings = [
    ...given.flatMap(({ column, field }, place): Feeding[] => (field === null ? [] : [{ field, column, place, unsure: false }])),
    ...found.filter(({ field }) => !taken.has(field)),
  ];
  const feeds = fields.flatMap((field): Feed[] => {
    const all = feedings.filter((one) => one.field === field).sort((a, b) => a.place - b.place);
    const sure = all.filter(({ unsure }) => !unsure);
    const chosen = sure.length === 0 ? all.slice(0, 1) : field === 'id' && !taken.has(field) ? sure.filter(({ column }) => nameOf(column) === nameOf(sure[0]!.column)) : sure;
    const places = chosen.filter(({ place }) => place >= OF_LOCATIONS).map(({ column }) => column);
    const feeding = chosen.map(({ column }) => column);
    const currency = field === 'revenue_usd' ? currencyOf(feeding, columns.filter((column) => !dropped.has(column))) : null;
    return chosen.length === 0 ? [] : [{ field, columns: feeding, unsure: sure.length === 0, places, currency }];
  });
  const used = new Set(feeds.flatMap(({ columns: feeding, currency }) => (currency === null ? feeding : [...feeding, currency])));
  return { feeds, unused: columns.filter((column) => !used.has(column)) };
}

type Feeding = Guess & { readonly column: string };

/** A sign in the name of a column that says its amounts are no dollars: `Turnover (£)`. */
const OTHER_MONEY = /(?!\$)\p{Sc}/u;

/** Of all amounts of a row, where no column says it of the revenue alone. */
const CURRENCIES = ['financialcurrency', 'currency', 'currencycode', 'currencyisocode'];

/** The column that says in which currency amounts are, as Salesforce, Pipedrive and others have it beside them; null where there is none, or the amounts are dollars by their names. */
function currencyOf(amounts: readonly string[], columns: readonly string[]): string | null {
  const bare = (column: string): string => nameOf(column).replace(COMPANYS.companies, '');
  const names = amounts.map(bare);
  if (names.some((name) => name.includes('usd'))) return null;
  const wanted = [...names.flatMap((name) => [`${name}currency`, `${name}currencycode`, `currencyof${name}`]), ...CURRENCIES];
  return wanted.map((name) => columns.find((column) => bare(column) === name)).find((column) => column !== undefined) ?? null;
}

/** An extra by its name; else what the name says, unless the others of the file or its own values speak against it. */
function guessesOf(column: string, dataset: Dataset, extras: readonly ExtraField[], { leftOut, guesses: told }: Beside, values: Values): readonly Guess[] {
  const { composed, unlike, untitled, pages, states, numbers, folders } = values;
  if (composed.has(column)) return [];
  const name = nameOf(column);
  const extra = extras.find((one) => one.name === column || nameOf(one.name) === name);
  if (extra !== undefined) return [{ field: extra.name, place: 0, unsure: false }];
  if (unlike.has(column) || leftOut.has(name)) return [];
  const found = (told.get(name) ?? guesses(column, dataset)).filter(({ field, place }) =>
    !(field === 'job_title' && untitled.has(column)) && !(SITES.has(field) && pages.has(column)) &&
    !(place >= OF_LOCATIONS && states.has(column)) && !(field === 'revenue_usd' && OTHER_MONEY.test(column)) && !(field === 'city' && numbers.has(column)),
  );
  return folders.has(column) ? found.map((guess) => ({ ...guess, place: OF_FOLDERS })) : found;
}

/** Of whoever works on a record, as CRMs call them. */
const RECORD_OWNER = /^(?:account|company|organi[sz]ation|record|customer)owner$|ownerid$/;

/** Of whom somebody sells to: of a company where a column beside it names the person there. */
const CUSTOMER = /^(?:customername|clientname|kundenname|nomduclient|nombredelcliente|nombrecliente|nomecliente|klantnaam|nazwaklienta)$/;

const PLACES: ReadonlySet<string> = new Set(['country', 'region', 'city', 'postal_code']);

const NAMES = ['full_name', 'first_name', 'last_name'] as const;

/** What a column is by the others of its file. */
type Beside = { readonly leftOut: ReadonlySet<string>; readonly guesses: ReadonlyMap<string, readonly Guess[]> };

function besideOf(columns: readonly string[], dataset: Dataset): Beside {
  const names = columns.map(nameOf);
  const told = new Map<string, readonly Guess[]>();
  // What Salesforce says of a record, and no field of it.
  const record = names.filter((name) => name.endsWith('attributesurl') && names.includes(name.replace(/url$/, 'type'))).flatMap((url) => [url, url.replace(/url$/, 'type')]);
  const knows = (of: Dataset, field: string, but = ''): boolean => names.some((name) => name !== but && KNOWN[of].get(name)?.some((guess) => guess.field === field));
  const has = (field: string, but: string): boolean => knows('contacts', field, but);
  const customer = names.find((name) => CUSTOMER.test(name));
  if (dataset === 'companies') {
    // What a CRM has as the type of a company is what it is to the owner of the record: a customer, a partner.
    const type = names.some((name) => RECORD_OWNER.test(name)) ? ['type'] : [];
    if (customer !== undefined && !knows(dataset, 'name')) told.set(customer, [{ field: 'name', place: 0, unsure: false }]);
    // Among people the city beside that of the company is theirs.
    const theirs = has('first_name', '') ? names.filter((name) => names.includes(`company${name}`) && KNOWN.companies.get(name)?.some(({ field }) => PLACES.has(field))) : [];
    return { leftOut: new Set([...type, ...theirs, ...record]), guesses: told };
  }
  if (names.includes('connectedon')) told.set('url', PAGE);
  for (const name of names) {
    const field = namePart(name, { names, has });
    if (field !== null) told.set(name, [{ field, place: 0, unsure: false }]);
  }
  const isOfPerson = told.size > 0 || NAMES.some((field) => knows(dataset, field));
  if (customer !== undefined && isOfPerson && !knows(dataset, 'company_name')) told.set(customer, [{ field: 'company_name', place: 0, unsure: false }]);
  // Beside the title of a job the other one is a form of address, such as Dr or Mrs.
  return { leftOut: new Set(names.includes('jobtitle') ? ['title', ...record] : record), guesses: told };
}

/** `Company Name`, `company_name`, `companyName` and `COMPANY-NAME` are one. Where a word ends is not asked: capitals do not tell it (`LinkedIn URL`). */
export function nameOf(column: string): string {
  return words(fold(column.replace(TYPED, '').replaceAll('_', ' '))).join('');
}

/** The fields for which files have a name, of contacts and of companies. */
export function fieldsMeant(column: string): string[] {
  return DATASETS.flatMap((dataset) => guesses(column, dataset).map(({ field }) => field));
}

/** How MongoDB writes of which type a value is: a record around it. */
const TYPED = /(?:\.\$(?:oid|uuid|date|number(?:Int|Long|Double|Decimal)))+$/;

const KEY = /\.\$(?:oid|uuid)$/;

/** Records that hold what an API says of the row itself; beside a person an entity is the company they are with. */
const WRAPPER: Readonly<Record<Dataset, RegExp>> = {
  contacts: /^(?:(?:properties|fields|attributes|_source|traits|node|data|record)\.)+/i,
  companies: /^(?:(?:properties|fields|attributes|_source|traits|node|data|record|entity)\.)+/i,
};

/** What has its name without a wrapper or a type goes before: an own `id` before what MongoDB writes ahead of it. A key of MongoDB's is none of a field but the key: as a `company` it is that of another record. */
function guesses(column: string, dataset: Dataset): readonly Guess[] {
  const bare = column.replace(TYPED, '');
  const own = bare.replace(WRAPPER[dataset], '');
  const steps = own.split('.').map(nameOf);
  const said = steps.length > 1 ? guessesWithin(steps, dataset) : (KNOWN[dataset].get(steps[0]!) ?? guessesBehind(steps[0]!, dataset));
  const found = own === bare ? said : said.map((guess) => ({ ...guess, place: guess.place + 0.5 }));
  if (bare === column) return found;
  return found.filter(({ field }) => field === 'id' || !KEY.test(column)).map(behindAll);
}

/** Behind all that a column says itself, and behind that a text that may tell a country among other things. */
const OF_FOLDERS = 10_000;
const OF_LOCATIONS = 20_000;
const LOCATIONS: readonly string[] = ['location', 'locationname'];

/** Behind every guess by a name that is known as it stands. */
function behindAll(guess: Guess): Guess {
  return { ...guess, place: guess.place + 1_000 };
}

/** Words before or behind the name of a field that say whose it is, as in `Contact City`, `Employer Size`, `Telefon (geschäftlich)`. */
const PERSONS = /^(?:contact|person|prospect|work|business|mailing|professional|geschaftlich(?!e)|postanschrift)|(?:work|business|geschaftlich|buro|bureau|professionnel|postanschrift|textonly)$/g;
const COMPANYS: Readonly<Record<Dataset, RegExp>> = {
  contacts: /^(?:company|organi[sz]ation|employer|account|jobcompany)/,
  companies: /^(?:company|organi[sz]ation|business|headquarters|hq|registered|rechnungsanschrift)|(?:ofaddress|rechnungsanschrift|textonly)$/g,
};
/** What such words make nothing of: a contact's account is no account, and what kind of company it is to somebody is not its own. */
const NEVER_BEHIND: ReadonlySet<string> = new Set(['id', 'name', 'full_name', 'company_name', 'company_type']);

/** Words that say of an address or a number alone that it is the one at work: with them a name (`Nombre corporativo`, `Nome aziendale`) is that of a company. */
const AT_WORK = /^(?:geschaftliche?|dienstliche?|berufliche?|zakelijke?|werk|sluzbowy|pracovni|рабочии|рабочая|kurumsal|official)|(?:professionnelle|pro|dienstlich|detrabajo|laboral|profesional|corporativo|profissional|aziendale|lavorativa|ufficio|werk|sluzbowy|directo?|diretto)$/;

/** The first of several, as in `Telefon 1`. */
const FIRST = /(?<!\d)1$/;

/** A page of a person (`Contact URL`) may be the one of the CRM: of the company says something only what is the company's by name. */
function guessesBehind(whole: string, dataset: Dataset): readonly Guess[] {
  const bare = whole.replace(COMPANYS[dataset], '');
  const ofCompany = bare !== whole;
  const numbered = ofCompany || dataset === 'companies' ? bare : whole.replace(PERSONS, '');
  const leaf = KNOWN[dataset].has(numbered) ? numbered : numbered.replace(FIRST, '');
  if (leaf === whole) return (KNOWN[dataset].get(whole.replace(AT_WORK, '')) ?? []).filter(({ field }) => field === 'email' || field === 'phone').map(behindAll);
  const named = ofCompany && dataset === 'contacts' ? (KNOWN.contacts.get(`company${leaf}`) ?? []) : [];
  const fits = ({ field }: Guess): boolean => !NEVER_BEHIND.has(field) && (dataset === 'companies' || OF_COMPANY.has(field) === ofCompany);
  return [...named, ...(KNOWN[dataset].get(leaf) ?? [])].filter(fits).slice(0, 1).map(behindAll);
}

/** Whom a record within a record may be about beside the row itself, by the end of its name. */
const OTHERS: Readonly<Record<Dataset, RegExp>> = {
  contacts: /(?:homeaddress|otheraddress|owner|ownerid|creator|creatoruserid|createdby|updatedby|modifiedby|author|assignee|assignedto|manager|assistant|referrer|reportsto|spouse|education|school|(?:previous|former|past|parent)(?:company|organi[sz]ation|employer|account))$/,
  companies: /(?:owner|ownerid|creator|creatoruserid|createdby|updatedby|modifiedby|author|assignee|assignedto|manager|assistant|ceo|founders?|contactperson|primarycontact|(?<!numberof)employees|investors?|subsidiar(?:y|ies)|parent|(?:parent|holding)(?:company|organi[sz]ation|account))$/,
};
const COMPANY = /(?:company|organi[sz]ation|org|orgid|employer|account|firma|unternehmen)$/;
const OF_COMPANY: ReadonlySet<string> = new Set(['company_name', 'company_domain', 'company_linkedin_url', 'industry', 'company_size']);

/** Whose description is that of a code, and none of the company. */
const CODED = /(?:form|code|kode|type|status|category|nace|naics|sic)\d*$/;

/** What stands in a record of somebody else is no guess, and of what is said of a contact's company only what is the company's. */
function guessesWithin(steps: readonly string[], dataset: Dataset): readonly Guess[] {
  const known = KNOWN[dataset];
  const [parents, leaf] = [steps.slice(0, -1), steps.at(-1)!];
  if (parents.some((step) => OTHERS[dataset].test(step))) return [];
  const ofCompany = dataset === 'contacts' && parents.some((step) => COMPANY.test(step));
  const ofAny = ({ field }: Guess): boolean => !ofCompany || OF_COMPANY.has(field);
  const whole = known.get(steps.join(''))?.filter(({ field }) => !ofCompany || field !== 'email') ?? [];
  if (whole.length > 0) return whole;
  const named = ofCompany && COMPANY.test(parents.at(-1)!) ? (known.get(`company${leaf}`)?.filter(ofAny) ?? []) : [];
  const last = (known.get(leaf) ?? []).filter(({ field }) => field !== 'id' && !field.endsWith('name') && !(field === 'description' && CODED.test(parents.at(-1)!)));
  const found = named.length > 0 ? named : last.filter(ofAny);
  return (found.length > 0 ? found : saidOf(parents, leaf, dataset)).map(behindAll);
}

/** What has a name of its own where an API makes a record of it. */
const NAMED: ReadonlySet<string> = new Set(['industry', 'department', 'country', 'region', 'city', 'seniority', 'job_title', 'company_type']);

/** A record that is one thing alone and says it as its name or its value: `industry: {id: 7, name: "Software"}`. An amount of money is in a currency. */
function saidOf(parents: readonly string[], leaf: string, dataset: Dataset): readonly Guess[] {
  if (leaf !== 'name' && leaf !== 'value') return [];
  const found = parents.length > 1 ? guessesWithin(parents, dataset) : (KNOWN[dataset].get(parents[0]!) ?? []);
  return found.filter(({ field }) => (leaf === 'name' ? NAMED.has(field) : field !== 'id' && field !== 'revenue_usd'));
}

const KNOWN: Readonly<Record<Dataset, ReadonlyMap<string, readonly Guess[]>>> = { contacts: known('contacts'), companies: known('companies') };

function known(dataset: Dataset): ReadonlyMap<string, readonly Guess[]> {
  const guesses = new Map<string, Guess[]>();
  for (const [field, list] of Object.entries(SYNONYMS[dataset])) {
    const own = nameOf(field);
    const entries = list.split('|');
    for (const [place, entry] of (entries.some((known) => nameOf(known) === own) ? entries : [own, ...entries]).entries()) {
      const name = nameOf(entry);
      const before = guesses.get(name) ?? [];
      if (!before.some((guess) => guess.field === field)) guesses.set(name, [...before, { field, place, unsure: entry.endsWith('?') }]);
    }
  }
  for (const name of LOCATIONS) guesses.set(name, [{ field: 'country', place: OF_LOCATIONS, unsure: false }]);
  return guesses;
}

/** None where the file has no such column: another one has it then, as `refuseUnknown` has seen. */
function resolved({ column, field }: Override, columns: readonly string[], fields: readonly string[]): Override[] {
  const exact = columnOf(column, columns);
  if (field !== null && !fields.includes(field)) throw new IngestError(`--map names the field ${field}, which there is not; the fields are: ${fields.join(', ')}`, { usage: true });
  return exact === undefined ? [] : [{ column: exact, field }];
}

function columnOf(column: string, columns: readonly string[]): string | undefined {
  return columns.find((known) => known === column) ?? columns.find((known) => nameOf(known) === nameOf(column));
}

/** A column that is mapped is to be in one of the files at least. */
export function refuseUnknown(files: readonly (readonly string[])[], overrides: readonly Override[]): void {
  const unknown = overrides.find(({ column }) => files.every((columns) => columnOf(column, columns) === undefined));
  if (unknown === undefined) return;
  const all = [...new Set(files.flat())].join(', ');
  throw new IngestError(`--map names the column ${unknown.column}, which ${files.length > 1 ? 'none of the files has; they have' : 'the file does not have; it has'}: ${all}`, { usage: true });
}
