import { quoted } from '../lib/json_text.ts';
import { STAGES, type Flags, type MailRecord, type MxEntry, type Stage, type StageEntry, type Validation } from './result.ts';

/** `JSON.stringify(validation)`, put together by hand: a walk over objects of sixty members costs twice what it takes to find them. */
export function validationText(validation: Validation): string {
  const { input, email, domain, canonical, reasons, flags, mx, smtp, stages } = validation;
  // Mostly one text three times, and another twice: each is looked through once.
  const inputText = typeof input === 'string' ? quoted(input) : JSON.stringify(input);
  const emailText = email === input ? inputText : quoted(email);
  const domainText = quoted(domain);
  return `{"input":${inputText},"email":${emailText},"local":${quoted(validation.local)},"domain":${domainText}`
    + `,"domain_unicode":${validation.domain_unicode === domain ? domainText : quoted(validation.domain_unicode)}`
    + `,"registrable_domain":${validation.registrable_domain === domain ? domainText : quoted(validation.registrable_domain)}`
    + `,"canonical":${canonical === email ? emailText : quoted(canonical)},"tag":${quoted(validation.tag)},"status":"${validation.status}","level":"${validation.level}"`
    + `,"reason":"${validation.reason}","reasons":["${reasons.join('","')}"],"score":${validation.score},"suggestion":${quoted(validation.suggestion)}`
    + `,"syntax_valid":${validation.syntax_valid},"domain_accepts_mail":${validation.domain_accepts_mail},"mailbox_exists":${validation.mailbox_exists}`
    + `,"flags":${flagsText(flags)},"mx":${mx === null ? 'null' : mxText(mx)},"smtp":${smtp === null ? 'null' : JSON.stringify(smtp)}`
    + `,"stages":[${stages.map(stageText).join()}],"checked_at":"${validation.checked_at}","expires_at":"${validation.expires_at}"}`;
}

/** By what is set of the flags that are never null; while no mailbox was asked there are few different ones. */
const flagTexts: string[] = [];

function flagsText(flags: Flags): string {
  if (flags.catch_all !== null || flags.mailbox_full !== null || flags.mailbox_disabled !== null) return JSON.stringify(flags);
  const set = (flags.disposable ? 1 : 0) | (flags.relay ? 2 : 0) | (flags.role ? 4 : 0) | (flags.free ? 8 : 0) | (flags.subaddress ? 16 : 0)
    | (flags.quoted ? 32 : 0) | (flags.eai ? 64 : 0) | (flags.idn ? 128 : 0) | (flags.confusable ? 256 : 0);
  return (flagTexts[set] ??= JSON.stringify(flags));
}

/** The records of a domain are the same array for all its addresses for as long as they are cached. */
const mxTexts = new WeakMap<readonly MailRecord[], { readonly mx: MxEntry; readonly text: string }>();

function mxText(mx: MxEntry): string {
  const known = mxTexts.get(mx.records);
  const same = known !== undefined && known.mx.ttl === mx.ttl && known.mx.implicit === mx.implicit && known.mx.null_mx === mx.null_mx && known.mx.provider === mx.provider;
  if (same) return known.text;
  const text = JSON.stringify(mx);
  mxTexts.set(mx.records, { mx, text });
  return text;
}

const SKIPPED = stageTexts('skipped', null, null);

function stageTexts(status: StageEntry['status'], code: StageEntry['code'], cache: StageEntry['cache']): Readonly<Record<Stage, string>> {
  return Object.fromEntries(STAGES.map((name) => [name, JSON.stringify({ name, status, code, ms: 0, cache })])) as Record<Stage, string>;
}

function stageText({ name, status, code, ms, cache }: StageEntry): string {
  if (status === 'skipped' && code === null && cache === null && ms === 0) return SKIPPED[name];
  return `{"name":"${name}","status":"${status}","code":${code === null ? 'null' : `"${code}"`},"ms":${ms},"cache":${cache === null ? 'null' : `"${cache}"`}}`;
}
