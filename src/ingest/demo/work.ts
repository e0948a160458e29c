type Department = { readonly name: string; readonly roles: readonly string[]; readonly chief: string; readonly skills: readonly string[] };

const department = (name: string, chief: string, roles: string, skills: string): Department => ({ name, chief, roles: roles.split('|'), skills: skills.split('|') });

export const DEPARTMENTS: readonly Department[] = [
  department('Engineering', 'Chief Technology Officer', 'Software Engineer|Backend Developer|Frontend Developer|DevOps Engineer|QA Engineer|Mechanical Engineer', 'TypeScript|Go|Python|Java|Kubernetes|PostgreSQL|AWS|Rust|C++|CI/CD'),
  department('Sales', 'Chief Revenue Officer', 'Account Executive|Sales Development Representative|Sales Engineer|Business Development Representative', 'Negotiation|CRM|Cold calling|Forecasting|Salesforce|Account planning'),
  department('Marketing', 'Chief Marketing Officer', 'Marketing Specialist|Content Writer|SEO Specialist|Brand Strategist', 'SEO|Copywriting|Google Analytics|Paid search|Branding|Email marketing'),
  department('Finance', 'Chief Financial Officer', 'Accountant|Financial Analyst|Controller|Auditor', 'IFRS|Excel|Forecasting|Auditing|SAP|Treasury'),
  department('Human Resources', 'Chief Human Resources Officer', 'Recruiter|HR Generalist|Talent Acquisition Specialist', 'Recruiting|Onboarding|Labour law|Interviewing|Payroll'),
  department('Operations', 'Chief Operating Officer', 'Operations Analyst|Logistics Coordinator|Procurement Specialist|Production Planner', 'Lean|Supply chain|Six Sigma|Inventory|ERP'),
  department('Product', 'Chief Product Officer', 'Product Analyst|Product Designer|Product Specialist', 'Roadmaps|User research|A/B testing|Figma|SQL'),
  department('Data', 'Chief Data Officer', 'Data Analyst|Data Scientist|Data Engineer|Machine Learning Engineer', 'SQL|Python|Spark|dbt|Statistics|Tableau'),
  department('IT', 'Chief Information Officer', 'System Administrator|Network Engineer|Security Analyst', 'Linux|Active Directory|Networking|ITIL|Azure'),
  department('Customer Service', 'Chief Customer Officer', 'Customer Success Specialist|Support Engineer|Customer Service Agent', 'Zendesk|Onboarding|Communication|Troubleshooting'),
  department('Legal', 'General Counsel', 'Lawyer|Compliance Officer|Paralegal', 'Contracts|GDPR|Compliance|Litigation'),
  department('Research', 'Chief Scientific Officer', 'Research Scientist|Laboratory Technician|Researcher', 'Experiment design|MATLAB|Chemistry|Grant writing'),
];

/** How many in a hundred have which seniority, and how their title is made of department and role; null has none. */
export const RANKS: readonly { readonly share: number; readonly seniority: string | null; title(department: Department, role: string): string }[] = [
  { share: 3, seniority: 'c_suite', title: ({ chief }) => chief },
  { share: 2, seniority: 'c_suite', title: () => 'Chief Executive Officer' },
  { share: 2, seniority: 'founder', title: () => 'Co-Founder' },
  { share: 2, seniority: 'owner', title: () => 'Owner' },
  { share: 2, seniority: 'partner', title: () => 'Managing Partner' },
  { share: 4, seniority: 'vp', title: ({ name }) => `VP ${name}` },
  { share: 3, seniority: 'vp', title: ({ name }) => `Vice President, ${name}` },
  { share: 5, seniority: 'head', title: ({ name }) => `Head of ${name}` },
  { share: 9, seniority: 'director', title: ({ name }) => `Director of ${name}` },
  { share: 17, seniority: 'manager', title: ({ name }) => `${name} Manager` },
  { share: 14, seniority: 'senior', title: (_, role) => `Senior ${role}` },
  { share: 8, seniority: 'entry', title: (_, role) => `Junior ${role}` },
  { share: 4, seniority: 'intern', title: ({ name }) => `${name} Intern` },
  { share: 25, seniority: null, title: (_, role) => role },
];

type Industry = { readonly name: string; readonly words: readonly string[]; readonly does: string };

const industry = (name: string, words: string, does: string): Industry => ({ name, words: words.split(' '), does });

export const INDUSTRIES: readonly Industry[] = [
  industry('Software', 'soft code stack bit logic byte', 'builds software for teams that plan, ship and measure their work'),
  industry('Financial Services', 'capital fund ledger vault credit', 'lends to and advises small and mid-sized firms'),
  industry('Logistics', 'freight cargo route haul port', 'moves goods by road, rail and sea'),
  industry('Manufacturing', 'forge works steel mill tool', 'makes precision parts and machines'),
  industry('Healthcare', 'med care clinic health bio', 'runs clinics and supplies hospitals'),
  industry('Retail', 'market shop store basket trade', 'sells household goods in shops and online'),
  industry('Energy', 'power grid solar wind volt', 'develops wind and solar parks'),
  industry('Construction', 'build stone bridge frame crane', 'plans and builds offices and homes'),
  industry('Education', 'learn school tutor campus mind', 'teaches professions online and in classrooms'),
  industry('Media', 'press studio signal reel story', 'produces films, podcasts and news'),
  industry('Agriculture', 'farm seed field grain orchard', 'grows and packs fruit and grain'),
  industry('Telecommunications', 'tele link wave net beam', 'runs fibre and mobile networks'),
  industry('Hospitality', 'inn table hotel guest lodge', 'runs hotels and restaurants'),
  industry('Biotechnology', 'gene cell lab helix enzyme', 'develops diagnostics and therapies'),
  industry('Consulting', 'advise insight partner bench focus', 'advises boards on strategy and change'),
];

export const FIRST_WORDS =
  ('bright north clear silver blue green red golden swift still open true high deep wide new old east west south iron amber coral quiet bold fair first prime alto nova terra luna sol aqua vero kite ' +
    'cedar maple birch willow harbor summit canyon meadow river lake ocean ember spark cobalt onyx ivory jade opal pearl slate flint granite marble crystal echo delta omega sigma vertex apex zenith orbit comet').split(' ');
export const TECHNOLOGIES = 'PostgreSQL|ClickHouse|React|Vue|Kubernetes|AWS|Azure|Google Cloud|Salesforce|HubSpot|SAP|Shopify|WordPress|Snowflake|Kafka|Redis|Java|Python|Node.js|Terraform'.split('|');
export const COMPANY_TYPES = ['Privately held', 'Public company', 'Partnership', 'Non-profit', 'Self-owned', 'Government agency'] as const;
/** Smallest and largest headcount, and how many companies in a hundred are of that size. */
export const HEADCOUNTS: readonly (readonly [min: number, max: number, share: number])[] = [
  [1, 10, 25], [11, 50, 28], [51, 200, 20], [201, 500, 10], [501, 1_000, 6], [1_001, 5_000, 6], [5_001, 10_000, 3], [10_001, 180_000, 2],
];
