import type { Dataset } from '../model/dataset.ts';
import { fieldMeant, LANGUAGES } from './languages.ts';

/**
 * What files call the fields, folded; blanks are for the reader and count for nothing. Of two columns for one field the one named earlier here comes first.
 * A `?` marks a name that is a key of the source only if it is there and different in every row.
 */
const COMMON: Readonly<Record<string, string>> = {
  id: 'id|key|uuid|guid|record id|external id|source id|object id|entity id|unique id|row id|symbol?|ticker?|isin?|lei?',
  country: 'country code|country or region|alpha two code|alpha 2 code|iso2|iso country code|country iso|country iso code|country|country name|nation|location country|address country|hq country|mailing country|billing country|country region|business country region|business country|address 1 country|address 1 country region',
  region: 'state|state province|state or province|province|state county|county|state region|state name|region|prefecture|location region|address state|address region|hq state|mailing state|mailing state province|billing state|billing state province|administrative area|department region|business state|address 1 region|address 1 state province|address 1 state or province',
  city: 'city|town|post town|city town village locality|locality|municipality|location city|address city|hq city|mailing city|billing city|location locality|address locality|business city|address 1 city',
  postal_code: 'postal code|zip|zip code|postcode|address postal code|mailing zip|mailing postal code|mailing code|mailing zip postal code|zip postal code|business postal code|address 1 postal code|address 1 zip postal code|billing zip|billing postal code|billing code|billing zip postal code|location postal code|address zip|address zip code',
  updated_at: 'updated at|update time|modified time|modified on|last modified on|date modified|updated|last updated|last updated at|last update|last update date|updated on|modified|modified at|last modified|modified date|last modified date|last modified date time|update date|date updated|timestamp|last seen|last verified|refreshed at|last updated date|do not modify modified on|last changed',
};

const CONTACTS: Readonly<Record<string, string>> = {
  ...COMMON,
  country: `${COMMON.country!}|person country`,
  region: `${COMMON.region!}|person state`,
  city: `${COMMON.city!}|person city`,
  postal_code: `${COMMON.postal_code!}|person zip code`,
  id: `${COMMON.id!}|contact id|do not modify contact|do not modify lead|person id|lead id|user id|people id|profile id|apollo contact id|zoominfo contact id|kontakt id`,
  full_name: 'full name|name full name|name|contact name|contact full name|contact person|person name|contact|person|display name|lead name|氏名|お名前|担当者名',
  first_name: 'first name|given name|forename|first|fname|contact first name|person first name|name first|name given|name given name',
  last_name: 'last name|surname|family name|last|lname|contact last name|person last name|name last|name family|name family name',
  headline: 'headline|linkedin headline|tagline|profile headline|bio headline|summary|bio|about',
  job_title: 'job title|title|position|job position|role|job|job role|occupation|current title|current job|current position|person title|designation|organization title|organization 1 title',
  seniority: 'seniority|seniority level|job level|level|management level|job title levels|job title level',
  department: 'department|departments|job function|function|team|job department|dept|division|job title role|organization department|organization 1 department',
  email: 'work email|business email|recommended work email|email|email address|mail|primary email|contact email|person email|corporate email|professional email|company email|emails|email 1|recommended email|email id|mail id|email addresses|primary email address|best email|email found|personal email|recommended personal email|email 1 value|email work|person email work|personal emails|person email home|person email other|private email|email address 1',
  email_status: 'email status|email verification status|email validity|email verification|email confidence status|verification status|email verified',
  phone: 'work phone|direct phone|phone|phone number|phone no|telephone|tel|mobile|mobile phone|mobile no|phone mobile|cell|cell phone|contact phone|work direct phone|direct dial|phone 1|phones|phone numbers|telephone number|mobile number|mobile phone number|corporate phone|business phone|primary phone|direct phone number|phone 1 value|person phone work|main phone|office phone|sanitized phone|telephone 1|contact number|contact no|direct number|direct line|primary phone number|main phone number|office phone number',
  linkedin_url: 'linkedin url public|default profile url|linkedin url|linkedin|linkedin profile|linkedin profile url|person linkedin url|linkedin link|contact linkedin url|linkedin com|li url|profile url|public profile url|person linkedin|linkedin contact profile url|li profile url|linkedin c|linkedin url c|linkedin profile c|linkedin handle|linkedin url unique id',
  company_name: 'company name|company|organisation|organization|employer|account|account name|company name for emails|current company|current employer|business name|organization name|organisation name|job company name|organization 1 name|associated company|person organization|person organisation|person company name|employment name|works for name|current company name|org name|account account name|account name account name',
  company_domain: 'company domain|domain|company website|website|company url|employer domain|company web|organization domain|organisation domain|job company website|account website|web|url|company domain name|website url|web page|primary domain|domain name|current employer website|person company website|homepage',
  company_linkedin_url: 'company linkedin url|company linkedin|organization linkedin url|organisation linkedin url|employer linkedin url|job company linkedin url|account linkedin|company linkedin profile|company li profile url|linkedin company profile url|regular company url|linkedin company url|company social',
  industry: 'industry|company industry|sector|job company industry|organization industry|vertical|primary industry|main industry|company main industry|person company industry',
  company_size: 'company size|size|employees|employee range|number of employees|num employees|employee count|company headcount|headcount|company employees|job company size|company employee count|organization size|employee size|no of employees|staff|staff count|estimated num employees|nb employees',
  skills: 'skills|skill|skillset|expertise|competencies|top skills',
};

const COMPANIES: Readonly<Record<string, string>> = {
  ...COMMON,
  id: `${COMMON.id!}|company id|organization id|organisation id|account id|do not modify account|apollo account id|zoominfo company id|company number?|registration number?|company registration number?`,
  // What says whose it is goes first: in a list of people the other one is theirs.
  country: `company country code|company country|organization country|headquarters country|hq country|${COMMON.country!}`,
  region: `company state|company region|company state region|company state province|organization state|headquarters state|headquarters region|hq state|${COMMON.region!}`,
  city: `company city|organization city|headquarters city|hq city|${COMMON.city!}`,
  postal_code: `company postal code|company zip|company zip code|organization postal code|headquarters postal code|hq postal code|hq zip|${COMMON.postal_code!}`,
  name: 'company name|organisation name|organization name|account name|business name|name|company|organisation|organization|legal name|account|trading name|entity name|registered name|institution|issuer|long name|short name|org name|account account name|account name account name',
  domain: 'domain|domains|company domain|domain name|primary domain|web domain|email domain|root domain|website domain|company domain name',
  website: 'website|web page|web pages|url|homepage|company website|company url|web|site|website url|web address|website address|homepage url',
  linkedin_url: 'linkedin url|linkedin|company linkedin url|company linkedin|linkedin company url|linkedin profile|linkedin link|linkedin page|linkedin profile url|linkedin company page|organization linkedin url|linkedin company profile url|li profile url|linkedin c|linkedin url c|linkedin handle',
  description: 'description|summary|about|company description|about us|short description|long description|long business summary|overview|bio|profile|business description|seo description',
  industry: 'industry|industries|industry group|sector|company industry|primary industry|main industry|naics description|sic description|business sector|vertical|sic code sic text 1|category',
  keywords: 'keywords|tags|keyword|categories|specialties|specialities|topics|labels|category list',
  phone: 'phone|phone number|telephone|tel|company phone|main phone|switchboard|corporate phone|contact phone|phone 1|headquarters phone|hq phone|company hq phone|primary phone|primary phone number|sanitized phone|telephone 1',
  email: 'email|email address|company email|contact email|general email|info email|mail|office email|email address 1',
  employee_count: 'employee count|employees|number of employees|num employees|no of employees|full time employees|headcount|staff count|total employees|staff|current employee estimate|employees count|employees total|estimated num employees|nb employees',
  size: 'size|company size|size range|employee range|employees range|employee size|headcount range|organization size|size bracket|company headcount',
  revenue_usd: 'revenue usd|annual revenue usd|revenue|annual revenue|yearly revenue|total revenue|sales|annual sales|turnover|estimated annual revenue|estimated revenue|revenue in usd|annual revenue in usd|revenue us|annual revenue us|sales usd|revenue in 000s usd|revenue in 000s',
  founded_year: 'founded year|founded|year founded|foundation year|year of foundation|founding year|established|year established|inception|founded on|founded at|incorporation year|founded date|founding date|incorporation date|date of incorporation|year started',
  company_type: 'company type|type|legal form|ownership|ownership type|legal type|entity type|organization type|company category|quote type|organisation type',
  ticker: 'ticker|symbol|stock symbol|ticker symbol|stock ticker|public symbol',
  technologies: 'technologies|technology|tech stack|technology names|tech|technologies used|web technologies|tools',
};

/** All names of a field in their order, English before all others. */
export const SYNONYMS: Readonly<Record<Dataset, Readonly<Record<string, string>>>> = { contacts: inAllLanguages(CONTACTS, 'contacts'), companies: inAllLanguages(COMPANIES, 'companies') };

function inAllLanguages(english: Readonly<Record<string, string>>, dataset: Dataset): Record<string, string> {
  const all: Record<string, string> = { ...english };
  for (const [word, names] of Object.values(LANGUAGES).flatMap((language) => Object.entries(language))) {
    const field = fieldMeant(word, dataset);
    if (all[field] !== undefined) all[field] = `${all[field]}|${names}`;
  }
  return all;
}
