import { SENIORITIES } from '../../model/field.ts';
import { titleWords } from './title_words.ts';

type Seniority = (typeof SENIORITIES)[number];

/** What an explicit column may say, folded. */
const LEVELS: Readonly<Record<Seniority, string>> = {
  owner: 'owner|owner partner|business owner|proprietor|inhaber|proprietaire|propietario',
  founder: 'founder|co founder|cofounder|grunder|fondateur|fundador',
  c_suite: 'c suite|c level|c level exec|csuite|clevel|cxo|executive|exec|chief|c x o|president|geschaftsfuhrer|geschaftsfuhrung|geschaftsleitung|top management|zarzad|ust duzey yonetici|ust yonetim|топ менеджер|топ менеджмент',
  partner: 'partner|managing partner',
  vp: 'vp|vp level|vp level exec|vice president|svp|evp|avp|v p',
  head: 'head|head of|head of department|leiter|bereichsleiter',
  director: 'director|director level|directeur|direktor|sr director|senior director',
  manager: 'manager|manager level|mgr|management|middle management|experienced manager|entry level manager|teamlead|team lead|supervisor',
  senior: 'senior|sr|senior level|strategic|lead|principal|staff|expert|specialist|specjalista|uzman|специалист',
  entry: 'entry|entry level|junior|jr|associate|graduate|non manager|non management|individual contributor',
  intern: 'intern|internship|trainee|training|in training|student|praktikant|working student|unpaid|apprentice',
};

const VP = 'vp|svp|evp|avp|rvp|gvp|vice president|vicepresident|vice presidente|vicepresidente|vice president e|wiceprezes|(?:genel mudur|baskan) (?:yardimcisi|yrd)';
/** A chief oneself, not the office of one, who works for one, stands in for one or was one. */
const CHIEF = '(?<!\\b(?:of|to|the|for|s|at|with|under|deputy|assistant|associate|former|formerly|ex) )(?:c[cefotlmidprsx]o|chro|cino|cpto|ciso|chief (?:\\w+ ){1,3}officer)';
/** Of whoever is both, in either order. */
const CHIEF_AND_VP = new RegExp(
  `\\b${CHIEF} (?:and )?(?:(?:senior|executive|sr|group|corporate) )?(?:${VP})\\b|\\b(?:${VP})(?: (?!to |office )\\w+){0,4} ${CHIEF}(?= of | for |$)`,
);

/** What a title says, highest claim first, but for the rank of whom one works for or was; the first that matches the folded words decides. */
const TITLES: readonly (readonly [Seniority, RegExp])[] = [
  ['intern', /\b(?:intern|internship|trainee|praktikantin|praktikant|werkstudent|werkstudentin|stagiaire|becario|becaria|pasante|estagiario|tirocinante|stagista|apprentice|azubi|working student|stazysta|stazystka|praktykant|praktykantka|stajyer)\b/],
  ['entry', /\b(?:(?:assistant|secretary|aide|advisor|adviser|ea|pa) to|(?:assistante?|asistente|assistente|assistentin) (?:du|de|del|della|des|der|da|do)|(?:executive|personal|c[efot]o(?: s)?) (?:assistant|secretary)|asistani|(?:mudur|muduru|baskan|baskani|yonetici) (?:sekreteri|danismani))\b/],
  ['founder', /\b(?:founder|founding (?:partner|member)|cofounder|grunder|grunderin|fondateur|fondatrice|fundador|fundadora|fondatore|(?:wspol)?zalozyciel(?:ka)?|kurucu|kurucusu)\b/],
  ['owner', /(?<!\b(?:product|process|data|service|scrum|system|account|platform|application|business process|risk|brand|project) )\b(?:owner|proprietor|inhaber|inhaberin|proprietaire|propietario|propietaria|titolare|(?:wspol)?wlasciciel(?:ka)?(?! (?:produktu|procesu|danych)\b)|(?<!\b(?:urun|surec|veri) )sahibi)\b/],
  ['vp', new RegExp(`\\b(?:${VP})\\b`)],
  ['c_suite', /\b(?<!\b(?:(?:office of|to) (?:the )?(?:group |global )?|former |formerly |ex |past |retired |byly |byla |eski |emekli ))(?:c[cefotlmidprsx]o|chro|cino|cpto|ciso|chief|president|managing director|geschaftsfuhrer|geschaftsfuhrerin|vorstand|pdg|directeur general|directrice generale|director general|directora general|amministratore delegato|presidente|chairman|chairwoman|chairperson|prezes|dyrektor (?:generalny|zarzadzajacy|finansowy|operacyjny)|genel mudur|yonetim kurulu baskani)\b/],
  ['partner', /(?<!\b(?:business|hr|people|channel|talent|finance|technology|delivery|client|sales) )\bpartner\b(?! (?:manager|success|marketing|sales|development|account|enablement|operations|program|programs))/],
  ['head', /\b(?:head|(?:bereichs|abteilungs|vertriebs|verkaufs|einkaufs|marketing|personal|finanz|produktions|entwicklungs|betriebs|werks?|niederlassungs|standort)?leiter(?:in)?|responsable)\b/],
  ['director', /\b(?<!\bmanaging )(?:director|dir|directora|directeur|directrice|direktor|direktorin|direttore|direttrice|diretor|diretora|dyrektor|dyrektorka|direktoru)\b/],
  ['manager', /\b(?:manager|managerin|mgr|gerente|jefe|jefa|supervisor|superintendent|foreman|teamleiter|teamleiterin|team lead|team leader|chef de|kierownik|menedzher|kierowniczka|menedzer|mudur|muduru|yonetici|yoneticisi)\b/],
  // Of an engineer, before or behind (`Engineer, Staff`): elsewhere it is whoever works there (`Staff Nurse`).
  ['senior', /\b(?:senior|sr|principal|staff(?= (?:\w+ ){0,4}(?:engineer|developer|scientist|designer|architect|researcher|programmer|sre)\b)|(?:engineer|developer|scientist|designer|researcher|programmer|sre) staff|lead(?! gen(?:eration|erator)?\b)|distinguished|fellow|architect|starszy|starsza|kidemli)\b/],
  ['entry', /\b(?:junior|jr|entry level|graduate|(?:associate|assistant)(?! (?:professor|dean|provost|judge|justice|general counsel|attorney general)\b)|assistente|asistente|clerk|receptionist|mlodszy|mlodsza|asystent|asystentka|asistan)\b/],
  // Russian, of whose letters `\b` sees none. In another case than the first it is the rank of somebody else: `помощник директора`.
  ['intern', /(?:^| )(?:стажер|практикант|практикантка)(?= |$)/],
  ['founder', /(?:^| )(?:основатель|сооснователь|учредитель)(?= |$)/],
  ['owner', /(?:^| )(?:владелец|собственник)(?! (?:продукта|процесса|данных))(?= |$)/],
  ['vp', /(?:^| )вице президент(?= |$)/],
  ['c_suite', /(?:^|(?<!бывшии) )(?:(?:генеральныи|исполнительныи|управляющии|финансовыи|техническии|коммерческии|операционныи) директор|гендиректор|президент)(?= |$)/],
  ['partner', /(?:^| )управляющии партнер(?= |$)/],
  ['manager', /(?:^| )(?:менеджер|руководитель проект(?:а|ов)|управляющии)(?= |$)/],
  ['head', /(?:^| )(?:руководитель|начальник|заведующии|глава)(?= |$)/],
  ['director', /(?:^| )директор(?= |$)/],
  ['senior', /(?:^| )(?:старшии|ведущии)(?= |$)/],
  ['entry', /(?:^| )(?:младшии|помощник|ассистент|(?<!(?:генеральныи|государственныи|ученыи|пресс) )секретарь)(?= |$)/],
];

const BY_LEVEL: ReadonlyMap<string, Seniority> = new Map(
  SENIORITIES.flatMap((level) => [level.replace('_', ' '), ...LEVELS[level].split('|')].map((text) => [text, level] as const)),
);

/** Beside a level that one has not: `Individual Contributor (Non-Manager)`, `Below Director`. */
const NOT_REACHED = /\b(?:non|not|no|below|under|sub|less|kein|keine)\b/;

/** The level an explicit column names, in its own words or in those of titles (`Senior Manager`, `Kierownik`); null where it names none. */
export function seniorityOf(text: string): string | null {
  const folded = titleWords(text);
  return BY_LEVEL.get(folded) ?? (NOT_REACHED.test(folded) ? null : seniorityOfTitle(text));
}

/** The level a job title claims; null where it claims none, as `Software Engineer` does. */
export function seniorityOfTitle(title: string): string | null {
  const folded = titleWords(title);
  const level = TITLES.find(([, pattern]) => pattern.test(folded))?.[0] ?? null;
  return level === 'vp' && CHIEF_AND_VP.test(folded) ? 'c_suite' : level;
}
