import { byId, make, post } from './dom.ts';
import { findReply, type Drawn } from './results.ts';
import { findSnippets, validateSnippets, type Snippets } from './snippets.ts';
import { validationReply } from './validation.ts';
import { valuesIn } from './values.ts';

const SNIPPETS = ['curl', 'typescript', 'ndjson'] as const;

const result = byId('result', HTMLElement);
const search = byId('search', HTMLFormElement);
const validation = document.getElementById('validation');
/** How many calls were sent; what is shown is the answer of the last, whichever comes first. */
let sent = 0;

search.addEventListener('input', () => { describeSearch(); });
search.addEventListener('submit', (event) => {
  event.preventDefault();
  const type = typeOf();
  void run(search, '/playground/find', searchBody(), (reply) => findReply(reply, type));
});
if (validation instanceof HTMLFormElement) {
  validation.addEventListener('input', () => { tellSnippets(validateSnippets(location.origin, { email: addressIn(validation) })); });
  validation.addEventListener('submit', (event) => {
    event.preventDefault();
    tellSnippets(validateSnippets(location.origin, { email: addressIn(validation) }));
    void run(validation, '/playground/email/validate', { email: addressIn(validation) }, validationReply);
  });
}
describeSearch();
// Coming back, or loading again, a browser fills in what was chosen, and tells of it by no event of the form.
addEventListener('pageshow', ({ persisted }) => { if (!persisted) describeSearch(); });
// Before this script a browser would send the forms as it does any: to this page, with what was typed in its address.
for (const button of document.querySelectorAll<HTMLButtonElement>('.ask button[type=submit]')) button.disabled = false;
byId('unscripted', HTMLElement).hidden = true;

function describeSearch(): void {
  for (const group of search.querySelectorAll<HTMLFieldSetElement>('fieldset[data-type]')) {
    group.hidden = group.dataset['type'] !== typeOf();
    group.disabled = group.hidden;
  }
  tellSnippets(findSnippets(location.origin, searchBody()));
}

function tellSnippets(snippets: Snippets): void {
  for (const name of SNIPPETS) byId(`snippet-${name}`, HTMLElement).textContent = snippets[name];
  for (const figure of document.querySelectorAll<HTMLElement>('.snippet')) figure.hidden = false;
  // What was copied is the call as it was.
  for (const told of document.querySelectorAll('[data-copied]')) told.textContent = '';
}

async function run(form: HTMLFormElement, path: string, body: unknown, draw: (reply: Awaited<ReturnType<typeof post>>) => Drawn): Promise<void> {
  const button = form.querySelector('button[type=submit]');
  if (!(button instanceof HTMLButtonElement) || button.getAttribute('aria-disabled') === 'true') return;
  button.setAttribute('aria-disabled', 'true');
  result.setAttribute('aria-busy', 'true');
  sent += 1;
  const own = sent;
  const drawn = await post(path, body).then(draw).catch(unreached);
  button.removeAttribute('aria-disabled');
  if (own !== sent) return;
  show(drawn);
  bringIntoView(byId('result-title', HTMLElement));
}

function unreached(): Drawn {
  return { told: [], below: [make('p', { class: 'notice bad', role: 'alert' }, 'The gateway could not be reached.')] };
}

/** The line that is read out stays where it is: one that comes with its text, or changes within what is busy, is passed over by screen readers. */
function show({ told, below }: Drawn): void {
  const line = byId('told', HTMLElement);
  result.removeAttribute('aria-busy');
  while (line.nextSibling !== null) line.nextSibling.remove();
  line.replaceChildren(...told.filter((child) => child !== null));
  line.after(...below.filter((child) => child !== null));
}

/** Where the answer stands below the forms, its reader would not see that it came. */
function bringIntoView(heading: HTMLElement): void {
  const { top, bottom } = heading.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight * 0.8) heading.scrollIntoView();
}

function typeOf(): string {
  return String(new FormData(search).get('type'));
}

/** The body of the call, with nothing in it that was left empty. */
function searchBody(): Record<string, unknown> {
  const form = new FormData(search);
  const query = String(form.get('query')).trim();
  const filters: Record<string, unknown> = {};
  for (const group of search.querySelectorAll<HTMLFieldSetElement>('fieldset[data-type]')) {
    if (group.dataset['type'] === typeOf()) collect(group, filters);
  }
  return {
    type: typeOf(),
    ...(query !== '' && { query }),
    ...(Object.keys(filters).length > 0 && { filters }),
    limit: Number(form.get('limit')),
  };
}

function collect(group: HTMLFieldSetElement, filters: Record<string, unknown>): void {
  for (const field of group.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[data-filter]')) {
    const { filter = '', reads } = field.dataset;
    const text = field.value.trim();
    if (text === '') continue;
    if (reads === 'list') filters[filter] = valuesIn(text);
    else if (reads === 'flag') filters[filter] = [text];
    else filters[filter] = { ...(filters[filter] as object | undefined), [reads ?? 'min']: field.type === 'number' ? Number(text) : text };
  }
}

function addressIn(form: HTMLFormElement): string {
  return String(new FormData(form).get('email'));
}
