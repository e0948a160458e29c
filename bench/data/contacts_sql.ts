import { SLOTS } from './dimensions.ts';

/**
 * Chance without state: a number in 0 .. n - 1, or in 0 .. 1, from the seed, what is drawn, and for whom. So rows can be made in any order
 * and on every core, and a row depends on nothing but its number, the seed and the size of the whole.
 */
const below = (seed: number, purpose: string, of: string, n: string | number): string => `(hash('${seed}/${purpose}', ${of}) % (${n})::UBIGINT)::BIGINT`;
const share = (seed: number, purpose: string, of: string): string => `(${below(seed, purpose, of, 1_000_000)} / 1000000.0)`;
/** Low places are drawn more often: place p about as 1 / sqrt(p). */
const skewed = (seed: number, purpose: string, of: string, n: string | number): string => `least((${n}) - 1, floor((${n}) * pow(${share(seed, purpose, of)}, 2)))::BIGINT`;

/** The companies of the countries, each with a domain of its own. */
export function companiesSql(seed: number): string {
  const words = '(SELECT count(*) FROM words)';
  return `CREATE TABLE companies AS
    SELECT drawn.nth, first.text || ' ' || second.text || ' ' || legals.text AS name, lower(first.text || second.text) || '-' || drawn.nth || '.com' AS domain,
      'https://www.linkedin.com/company/' || lower(first.text || '-' || second.text) || '-' || drawn.nth AS linkedin, industries.text AS industry, sizes.size AS size
    FROM (
      SELECT c.company + step AS nth, ${below(seed, 'word 1', 'c.company + step', words)} AS word1, ${below(seed, 'word 2', 'c.company + step', words)} AS word2,
        c.legal + ${below(seed, 'legal', 'c.company + step', 'c.legals')} AS legal,
        ${skewed(seed, 'industry', 'c.company + step', '(SELECT count(*) FROM industries)')} AS industry, ${below(seed, 'size', 'c.company + step', '(SELECT count(*) FROM sizes)')} AS size
      FROM countries c, LATERAL (SELECT unnest(range(c.companies)) AS step)
    ) drawn JOIN words first ON first.nth = word1 JOIN words second ON second.nth = word2
      JOIN legals ON legals.nth = drawn.legal JOIN industries ON industries.nth = drawn.industry JOIN sizes ON sizes.nth = drawn.size`;
}

const SHARES = { email: 0.72, phone: 0.41, linkedin: 0.83, skills: 0.64, headline: 0.55, postal: 0.6, companyPage: 0.5, department: 0.7, title: 0.94 };
const SKILLS_MIN = 2;
const SKILLS_SPREAD = 4;

/** Contacts as a source sends them: 30 columns, of which 23 say something to the service. */
export function contactsSql(rows: number, seed: number): string {
  const has = (what: keyof typeof SHARES): string => `${share(seed, `has ${what}`, 'i')} < ${SHARES[what]}`;
  const skill = (nth: number): string => `skill${nth}.text`;
  const nths = Array.from({ length: SKILLS_MIN + SKILLS_SPREAD - 1 }, (_, nth) => nth);
  const draws = `
    SELECT p.i, c.*, c.company + ${skewed(seed, 'company', 'i', 'c.companies')} AS company_at, c.place + ${skewed(seed, 'place', 'i', 'c.places')} AS place_at,
      c.given + ${below(seed, 'given', 'i', 'c.givens')} AS given_at, c.family + ${below(seed, 'family', 'i', 'c.families')} AS family_at,
      ${skewed(seed, 'title', 'i', '(SELECT count(*) FROM titles)')} AS title_at,
      ${nths.map((nth) => `${skewed(seed, `skill ${nth}`, 'i', '(SELECT count(*) FROM skills)')} AS skill_at${nth}`).join(', ')}
    FROM (SELECT range AS i, ${below(seed, 'country', 'range', SLOTS)} AS slot FROM range(${rows})) p JOIN slots USING (slot) JOIN countries c ON c.nth = slots.country`;
  return `
    SELECT format('p{:09d}', i) AS id, given.native || ' ' || family.native AS full_name, given.native AS first_name, family.native AS last_name,
      CASE WHEN ${has('headline')} THEN title || ' at ' || company.name END AS headline,
      CASE WHEN ${has('title')} THEN title END AS job_title, seniority, CASE WHEN ${has('department')} THEN department END AS department,
      CASE WHEN ${has('email')} THEN given.slug || '.' || family.slug || '.' || i || '@' || CASE WHEN ${share(seed, 'free mail', 'i')} < 0.12 THEN 'mail-demo.net' ELSE company.domain END END AS email,
      CASE WHEN ${has('email')} THEN ['verified', 'verified', 'verified', 'risky', 'unknown', 'invalid'][1 + ${below(seed, 'status', 'i', 6)}] END AS email_status,
      CASE WHEN ${has('phone')} THEN phone || lpad(${below(seed, 'number', 'i', 1_000_000)}::VARCHAR, 6, '0') END AS phone,
      CASE WHEN ${has('linkedin')} THEN 'https://www.linkedin.com/in/' || given.slug || '-' || family.slug || '-' || lower(to_base(i, 36)) END AS linkedin_url,
      code AS country, place.region AS region, place.city AS city, CASE WHEN ${has('postal')} THEN lpad(${below(seed, 'postal', 'i', 100_000)}::VARCHAR, 5, '0') END AS postal_code,
      company.name AS company_name, company.domain AS company_domain, CASE WHEN ${has('companyPage')} THEN company.linkedin END AS company_linkedin_url,
      company.industry AS industry, company.size AS company_size,
      CASE WHEN ${has('skills')} THEN concat_ws('; ', ${nths.map((nth) => (
        nth < SKILLS_MIN ? skill(nth) : `CASE WHEN ${below(seed, 'skills', 'i', SKILLS_SPREAD)} >= ${nth - SKILLS_MIN + 1} THEN ${skill(nth)} END`)).join(', ')}) END AS skills,
      strftime(to_timestamp(1672531200 + ${below(seed, 'updated', 'i', 110_000_000)}), '%Y-%m-%dT%H:%M:%SZ') AS updated_at,
      ${below(seed, 'connections', 'i', 5_000)} AS connections, ${below(seed, 'intent', 'i', 101)} AS intent_score, 'UTC' AS time_zone,
      ${share(seed, 'opens', 'i')} AS open_rate, ${below(seed, 'campaign', 'i', 400)} AS campaign_number, CASE WHEN ${below(seed, 'notes', 'i', 10)} = 0 THEN 'met at a fair' END AS notes,
      ${below(seed, 'owner', 'i', 60)} AS account_owner_number
    FROM (${draws}) d JOIN given ON given.nth = d.given_at JOIN family ON family.nth = d.family_at JOIN places place ON place.nth = d.place_at
      JOIN titles ON titles.nth = d.title_at JOIN companies company ON company.nth = d.company_at
      ${nths.map((nth) => `JOIN skills skill${nth} ON skill${nth}.nth = d.skill_at${nth}`).join(' ')}`;
}
