import { titleWords } from './title_words.ts';

/** One name a department, and what titles and columns call it, folded; the first that matches decides. */
const DEPARTMENTS: readonly (readonly [string, RegExp])[] = [
  ['Human Resources', /\b(?:human resources|hr|hrbp|recruiter|recruiting|recruitment|talent|people (?:operations|ops|partner|and culture|culture)|personalleiter(?:in)?|(?:leiter|leiterin|leitung|bereich|abteilung|referat|de) personal|personal(?= (?:und|y|e|organisation|recht|finanzen|sachbearbeiter|sachbearbeiterin|[mwfdx](?: [mwfdx])+)\b|$)|personnel|ressources humaines|kadr|kadry|zasobow ludzkich|rekruter|rekruterka|insan kaynaklari|recursos humanos|chro|compensation|payroll)\b/],
  ['Customer Service', /\b(?:customer (?:service|success|support|care|experience)|client (?:services|success|support)|technical support|help ?desk|support (?:engineer|agent|specialist))\b/],
  ['Sales', /\b(?:sales|account (?:executive|manager|director|management)|business development|bdr|sdr|vertrieb|ventas|sprzedaz|sprzedazy|satis|vente|ventes|commercial|commerciale|comercial|pre ?sales|revenue|cro|verkauf|(?:vertriebs|verkaufs)(?:leiter(?:in)?|leitung|innendienst|aussendienst))\b/],
  ['Marketing', /\b(?:marketing|marketingleiter(?:in)?|marketingu|pazarlama|brand|growth|seo|sem|content|communications?|public relations|pr|social media|copywriter|cmo|advertising|demand generation)\b/],
  ['Product', /\b(?:product (?:manager|owner|management|lead|director|marketing|analyst|operations)|(?:of|head|chief|vp|director|vice president) product|cpo|product)\b/],
  ['Design', /\b(?:design|designer|ux|ui|creative|art director|illustrator)\b/],
  ['Data', /\b(?:data|analytics|machine learning|ml|ai|artificial intelligence|business intelligence|statistician)\b/],
  ['IT', /\b(?:it|information technology|sysadmin|system administrator|systems administrator|network (?:engineer|administrator)|infrastructure|cio|ciso|(?:cyber|information|network|cloud) security|security(?! (?:guards?|agent|patrol|supervisor)\b)|informatik|informatique|informatyk|informatyki|bilgi islem|bilgi teknolojileri|sistemas)\b/],
  ['Legal', /\b(?:legal|lawyer|attorney|counsel|paralegal|compliance|jurist|juriste|abogado|prawnik|adwokat|hukuk|avukat|rechtsanwalt|clo)\b/],
  ['Finance', /\b(?:finance|financial|accounting|accountant|controller|controlling|treasury|treasurer|audit|auditor|tax|cfo|buchhaltung|comptable|contable|ksiegowy|ksiegowa|ksiegowosci|finansowy|finansow|muhasebe|finans|finanzas|finanzen|finanzleiter(?:in)?|bookkeeper|investor relations)\b/],
  ['Research', /\b(?:research|researcher|scientist|r d|laboratory|lab)\b/],
  ['Engineering', /\b(?:engineer|engineering|developer|development|software|devops|sre|programmer|architect|technical|technology|cto|qa|quality assurance|tester|entwickler|entwicklerin|entwicklungsleiter(?:in)?|ingenieur|ingeniero|ingeniera|ingegnere|inzynier|programista|programistka|muhendis|muhendisi|yazilim|frontend|backend|full ?stack)\b/],
  ['Operations', /\b(?:operations|operation|logistics|logistyki|zakupow|produkcji|lojistik|uretim|satin alma|supply chain|procurement|purchasing|warehouse|production|manufacturing|coo|einkauf|(?:einkaufs|produktions|betriebs)leiter(?:in)?|fleet|facilities|(?:project|program(?:me)?) manage(?:r|ment)|pmo|scrum master|quality)\b/],
  ['Education', /\b(?:teacher|professor|lecturer|education|instructor|tutor|lehrer|lehrerin|profesor|profesora|enseignant)\b/],
  ['Medical', /\b(?:doctor|physician|nurse|medical|clinical|surgeon|pharmacist|dentist|therapist|healthcare)\b/],
  ['Administration', /\b(?:administration|administrative|administrator|office manager|secretary|receptionist|executive assistant|assistant|admin)\b/],
  ['Executive', /\b(?:ceo|chief executive|president|founder|owner|managing director|geschaftsfuhrer|executive|c suite|chairman|board|general manager|(?:general|senior|executive|top|upper) management(?! (?:consult|analyst|trainee))|(?:^|\bmember of (?:the )?)management(?: team| committee)?(?: member)?$|vorstand|pdg)\b/],
  // Russian, of whose letters `\b` sees none.
  ['Human Resources', /(?:^| )(?:персонал(?:а|ом|у)?|кадров|кадрам|рекрутер)(?= |$)/],
  ['Sales', /(?:^| )(?:продаж|продажам|продажи|коммерческии)(?= |$)/],
  ['Marketing', /(?:^| )(?:маркетинг(?:а|у)?|маркетолог|рекламы|рекламе)(?= |$)/],
  ['Legal', /(?:^| )(?:юрист|юрисконсульт|юридическ(?:ии|ого))(?= |$)/],
  ['Finance', /(?:^| )(?:бухгалтер|бухгалтерии|финансов(?:ыи|ого)?|финансам|финансы)(?= |$)/],
  ['Engineering', /(?:^| )(?:инженер|программист|разработчик|разработки|техническии директор)(?= |$)/],
  ['Operations', /(?:^| )(?:логист|логистики?|логистике|закупк(?:и|ам)|закупок|производств(?:а|у|о))(?= |$)/],
  ['Executive', /(?:^| )(?:генеральныи директор|гендиректор|президент|владелец(?! (?:продукта|процесса|данных))|основатель)(?= |$)/],
];

/** The department that a title or a column's word speaks of; null where it speaks of none that is known. */
export function departmentOf(text: string): string | null {
  const folded = titleWords(text);
  return DEPARTMENTS.find(([, pattern]) => pattern.test(folded))?.[0] ?? null;
}
