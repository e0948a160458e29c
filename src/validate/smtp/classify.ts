import { LIMITS } from '../../config/limits.ts';
import { replyOf, type Reply } from './reply.ts';

export type SmtpClass =
  | 'accepted' | 'mailbox_not_found' | 'mailbox_full' | 'mailbox_disabled' | 'moved' | 'greylisted' | 'rate_limited' | 'blocked' | 'policy'
  | 'relay_denied' | 'tempfail' | 'utf8_unsupported' | 'not_decidable' | 'connect_failed' | 'timeout' | 'protocol' | 'tls_failed';

/** All that a row names must hold. `text` meets lower case, with addresses and links taken out. */
type Row = { readonly is: SmtpClass; readonly code?: RegExp; readonly enhanced?: RegExp; readonly text?: RegExp };

const US = [
  /\b(?:client|sending|sender|source|connecting|remote|your|originating)(?:'s)? (?:smtp )?(?:mail )?(?:ip|host|hostname|server|network|domain|mta|account)\b/,
  /\bip (?:address )?(?:source|sending|reputation|blocked|has been|is (?:blocked|listed|not))\b|\bip address sending\b|\bblocked ip\b|\bhost network\b/,
  /\b(?:ip|address) [[(]?(?:\d+\.[\d.]+|[\da-f]*:[\da-f.:]+)[\])]? (?:(?:is|was|has been) )?(?:blocked|listed|denied|rejected|refused|disabled)\b/,
  /\bptr\b|\breverse[ -]dns\b|\brdns\b|\bhelo\b|\behlo\b|\bfcrdns\b/,
  /\b(?:block|black|deny)[ -]?list(?:ed)?\b|\b(?:dns|r|s)bl\b|\bdnsbl\b|\bspamhaus\b|\bspamcop\b|\bsorbs\b|\bcloudmark\b|\bblocked using\b|\bbanned\b/,
  /\breputation\b|\bspam(?:ming|my)?\b|\bspamsignature\b|\bunsolicited\b|\bspf\b|\bdkim\b|\bdmarc\b|\bunauthenticated\b/,
  /\bsender (?:address )?(?:is |was )?(?:rejected|denied|blocked|refused|verify|verification)\b|\bsender address\b|\binvalid sender\b|\bunknown sender\b|\bmail from\b/,
  /(?<!\b(?:check|checking|verify|confirm|correct) )\byour e-?mail address\b|\baddress you (?:are sending|send|sent) from\b|\bfrom (?:this|your) (?:e-?mail )?(?:address|account|user)\b/,
].map(({ source }) => source).join('|');

const MANY = /\brate[ -]?limit|\bat a rate\b|\bsending rate\b|\bfrequency\b|\bthrottl|\btoo many (?:connections|sessions|concurrent|recipients|invalid|unknown|failed recipients|errors|emails|requests|bad)\b|\b(?:failed|invalid|unknown) recipients exceeded\b|\btoo much mail\b|\bunexpected volume\b/;
const FULL = /\b(?:over|exceed(?:ed|s|ing)?|out of)\b.{0,30}\b(?:quota|storage)\b|\boverquota\b|\bquota\b.{0,20}\b(?:exceeded|full|reached|violation)\b|\b(?:mailbox|inbox|account|user)\b.{0,15}\bfull\b|\bfull mailbox\b|\binsufficient mailbox\b/;
const OFF = /\b(?:account|mailbox|user|recipient|address|inbox)\b.{0,60}\b(?:disabled|suspended|inactive|deactivated|frozen|(?:is|been) (?:blocked|closed|locked))\b|\b(?:disabled|suspended|inactive|deactivated) (?:account|mailbox|user|recipient|e-?mail)\b/;
const PASSING = /\btemporar(?:y|ily)\b|\btry (?:again )?later\b/;
const ABSENT = new RegExp([
  /\b(?:user|mailbox|recipient|account|addressee|local[ -]?part|e-?mail(?: address)?)\b(?!(?:'s)? domain\b).{0,40}\b(?:unknown(?! (?:error|reason|cause|problem|failure|senders?|servers?|hosts?|clients?)\b)|not found|not known|does not exist|doesn't exist|not exist|is invalid|no longer (?:exists|valid))\b/,
  /\b(?:unknown|no such|invalid|non-?existent|unrouteable|undefined) (?:local )?(?:user|mailbox|recipient|account|address|local[ -]?part|person|e-?mail)\b(?!(?:'s)? domain\b)/,
  /\bno (?:mailbox|user|account|recipient)\b.{0,20}\b(?:here|by that name|with that name|found)\b/,
].map(({ source }) => source).join('|'));

/**
 * First match wins. What speaks of us comes first: a reply that names our address, reputation or speed says nothing of the mailbox,
 * whatever its code. What is left is judged by the enhanced code, and by words alone only where that code says nothing.
 */
const ROWS: readonly Row[] = [
  { is: 'not_decidable', code: /^252$/ },
  // Others of the 200s bid welcome or farewell: they answer no recipient.
  { is: 'accepted', code: /^25/ },
  { is: 'rate_limited', text: MANY },
  // Facebook, of its owner's choice of senders, and Microsoft 365, of the way we came, under codes of a mailbox that is not there or is off.
  { is: 'policy', text: /\brefused due to recipient preferences\b|\bdoes not accept email over ipv6\b/ },
  { is: 'mailbox_not_found', code: /^5/, enhanced: /^5\.1\.(?:1|10)$/, text: new RegExp(`^(?!.*\\bsender verif)(?=.*(?:${ABSENT.source}))`) },
  { is: 'blocked', text: new RegExp(US) },
  { is: 'mailbox_not_found', code: /^550$/, enhanced: /^5\.4\.1$/, text: /\brecipient address rejected: access denied\b/ },
  { is: 'relay_denied', text: /\brelay(?:ing)?\b.{0,20}\b(?:denied|not (?:permitted|allowed)|prohibited|rejected)\b|\bunable to relay\b|\bnot (?:a )?local (?:domain|host)\b|\bdomain not found\b|\binvalid domain\b|\brcpthosts\b|\bunknown recipient domain\b|\brecipient(?:'s)? domain (?:is )?(?:unknown|not (?:found|known|allowed|accepted|served)|does not exist)\b/ },
  // GMX, WEB.DE, mail.com and IONOS: in the same words as what they hold against a sender, of which a line more tells. By itself the case behind their link is a mailbox that is not there.
  { is: 'mailbox_not_found', code: /^550$/, enhanced: /^$/, text: /^requested action not taken: mailbox unavailable for explanation visit case r1601 $/ },
  // Stalwart, in one code with a domain that it does not serve.
  { is: 'mailbox_not_found', code: /^550$/, enhanced: /^5\.1\.2$/, text: /\bmailbox does not exist\b/ },
  { is: 'relay_denied', enhanced: /^[45]\.(?:1\.2|4\.4)$/ },
  { is: 'mailbox_full', enhanced: /^[245]\.2\.2$/ },
  // Of the host's own disk, or of what it takes from us, where the code says so.
  { is: 'mailbox_full', enhanced: /^(?!\d\.[37]\.)/, text: FULL },
  { is: 'policy', code: /^5/, text: PASSING },
  // 552 is of room, at Zoho of policy too: without words for it no mailbox is missing.
  { is: 'mailbox_not_found', code: /^5(?!52)/, enhanced: /^5\.1\.(?:1|3|10)$/ },
  { is: 'mailbox_not_found', code: /^556$/ },
  // OpenSMTPD, of a name that is no alias of the domain; nobody else has that code.
  { is: 'mailbox_not_found', code: /^524$/, enhanced: /^5\.2\.4$/ },
  { is: 'moved', code: /^5/, enhanced: /^5\.1\.6$/ },
  { is: 'moved', code: /^551$/, enhanced: /^$|^5\.[01]\./ },
  { is: 'mailbox_disabled', code: /^5/, enhanced: /^5\.2\.1$/ },
  // Under the code of policy it is the sender that is blocked as often as the mailbox.
  { is: 'policy', code: /^5/, enhanced: /^5\.7\./, text: /\bblocked\b/ },
  { is: 'mailbox_disabled', code: /^5/, text: OFF },
  { is: 'utf8_unsupported', enhanced: /^[45]\.6\.[789]$/ },
  { is: 'greylisted', code: /^4/, text: /\bgr[ae]y[ -]?list/ },
  { is: 'greylisted', code: /^4(?!21)/, text: /\b(?:try|come back|retry)(?: again)? (?:later|in \d+)/ },
  { is: 'greylisted', code: /^45[01]$/, enhanced: /^4\.7\.1$/ },
  { is: 'rate_limited', code: /^421$/ },
  { is: 'rate_limited', code: /^4/, enhanced: /^4\.7\./ },
  { is: 'rate_limited', code: /^4/, text: /\brate\b|\blimit/ },
  { is: 'tempfail', code: /^4/ },
  { is: 'policy', enhanced: /^5\.7\./ },
  { is: 'mailbox_not_found', code: /^5/, enhanced: /^$|^5\.(?:0|1|2|5)\.0$/, text: ABSENT },
  // Sendmail, of a name that its table of virtual users leads to `error:nouser`.
  { is: 'mailbox_not_found', code: /^553$/, enhanced: /^5\.3\.0$/, text: ABSENT },
  { is: 'policy', code: /^5/ },
];

/** Postfix and Exim ask the host behind them, and tell what that one said under a code of their own: Postfix 550 5.1.1 whatever it was, Exim 550. */
const RELAYED = /(?:\b(?:undeliverable|unverified) address: host \S+ said: |^Callout verification failed:\s+)([45]\d\d)[ -](.*)/s;

function relayedOf({ text }: Reply): Reply | null {
  const [, code, said] = RELAYED.exec(text.slice(0, LIMITS.smtpReplyCharactersRead)) ?? [];
  return said === undefined ? null : replyOf(Number(code), [said]);
}

/** What a reply to RCPT says of the mailbox. Pure. */
export function classify(reply: Reply): SmtpClass {
  const relayed = relayedOf(reply);
  if (relayed !== null) return classify(relayed);
  const code = String(reply.code);
  const enhanced = reply.enhanced ?? '';
  const text = plainText(reply.text);
  const row = ROWS.find((row) => (row.code?.test(code) ?? true) && (row.enhanced?.test(enhanced) ?? true) && (row.text?.test(text) ?? true));
  return row?.is ?? 'protocol';
}

/** Whether a name that nobody has was refused for good. What is put off under the code of a lasting refusal may be taken another time. */
export function refusesName(reply: Reply): boolean {
  if (reply.code < 500) return false;
  const found = classify(reply);
  return found === 'mailbox_not_found' || found === 'mailbox_disabled' || (found === 'policy' && !PASSING.test(plainText(reply.text)));
}

const ABOUT_MAILBOX: ReadonlySet<SmtpClass> = new Set(['mailbox_not_found', 'mailbox_full', 'mailbox_disabled', 'moved']);

/** What a refusal before RCPT says: never anything of a mailbox, since none was named. */
export function classifyRefusal(reply: Reply): SmtpClass {
  const found = classify(reply);
  if (found === 'accepted') return 'protocol';
  if (found === 'policy' || ABOUT_MAILBOX.has(found)) return reply.code >= 500 ? 'blocked' : 'tempfail';
  return found;
}

const ABOUT_US = new RegExp(`${US}|${MANY.source}|\\brate\\b|\\blimit`);

/** Whether a greeting that takes no mail says nothing of us: then whoever delivers goes to the next host. */
export function turnsAllAway({ enhanced, text }: Reply): boolean {
  return !/^[45]\.7\./.test(enhanced ?? '') && !ABOUT_US.test(plainText(text));
}

/** Not so a mailbox that gets too much for now, nor a host whose own mail another one refuses. */
export function sendsAway(reply: Reply, found: SmtpClass): boolean {
  const speaksOfUs = found === 'blocked' || (found === 'rate_limited' && !/^[45]\.2\.1$/.test(reply.enhanced ?? ''));
  return reply.code === 421 || (speaksOfUs && relayedOf(reply) === null);
}

/** Some take a bounce, which is what a probe looks like, for one recipient alone: Postfix by `reject_multi_recipient_bounce`, Exim by a rule that many copy. */
const BOUNCE_TO_MANY = /^(?=.*\bbounces?\b)(?=.*\b(?:one|single|multi|multiple)\b)(?=.*\brecipients?\b)/;

/** RFC 5321, section 4.5.3.1.10: no more recipients in this transaction, but in another. The code is 452, and 552 of old; OpenSMTPD's is 451. */
export function isForAnother({ code, enhanced, text }: Reply): boolean {
  if (code >= 400 && BOUNCE_TO_MANY.test(plainText(text))) return true;
  if (code === 451) return enhanced === '4.5.3';
  return (code === 452 || code === 552) && (/^[45]\.5\.3$/.test(enhanced ?? '') || (enhanced === null && /\btoo many recipients\b/i.test(text)));
}

/** Whether a refused `MAIL ... SMTPUTF8` may be for that word alone: where it is not, the next without it is refused as well. */
export function refusesUtf8(reply: Reply): boolean {
  return [501, 504, 555].includes(reply.code) || classify(reply) === 'utf8_unsupported';
}

/** Links say nothing in words, but for the cases of GMX and its sisters. */
function plainText(text: string): string {
  return text.slice(0, LIMITS.smtpReplyCharactersRead).toLowerCase()
    .replace(/https:\/\/postmaster\.[a-z0-9.]+\/[a-z]+\/case\?c=(r\d+)\S*/g, ' case $1 ')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/<[^<>]*>|\S+@\S+/g, ' ')
    .replace(/\s+/g, ' ');
}
