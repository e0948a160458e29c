import { z } from 'zod';
import { LIMITS } from '../../config/limits.ts';
import type { FilterSpec } from '../../model/filter.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { findBody, type AnswerForm } from './body.ts';

/**
 * The forms of filter values as they are documented. `lexicon` reads them: it takes all that fits here, in a few other spellings too,
 * and can say what is wrong with the rest.
 */
const TEXT = z.string().min(1).max(LIMITS.filterValueCharactersMax).regex(/\S/);
const CODE = z.string().regex(/^[A-Za-z]{2}$/);
const NUMBER = z.union([z.number(), z.string().regex(/^-?\d{1,15}$/)]);
const TIME = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);
const FLAG = z.union([z.boolean(), z.enum(['true', 'false'])]);

/** One value, several, or those to include and those to exclude. */
function listForm(value: z.ZodType) {
  const values = z.union([value, z.array(value).min(1).max(LIMITS.filterValuesMax)]);
  return z.union([values, someOf({ include: values.optional(), exclude: values.optional() })]);
}

/** An object that is not empty. */
function someOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).refine((given) => Object.keys(given).length > 0).meta({ minProperties: 1 });
}

function rangeForm(value: z.ZodType) {
  const left = z.union([value, z.array(value).min(1).max(LIMITS.filterValuesMax)]);
  return z.union([listForm(value), someOf({ min: value.optional(), max: value.optional(), exclude: left.optional() })]);
}

/** By name, so that a document can refer to them. */
export const FILTER_FORMS = {
  TextFilter: listForm(TEXT),
  CountryFilter: listForm(CODE),
  NumberFilter: rangeForm(NUMBER),
  DateFilter: rangeForm(TIME).describe('a date is its whole day in UTC, to its end where it is a max; a time without a zone is in UTC'),
  PresenceFilter: listForm(FLAG),
} as const;

export function filterForm(spec: FilterSpec) {
  switch (spec.compares) {
    case 'folded': case 'lower': case 'domain': case 'email': return FILTER_FORMS.TextFilter;
    case 'enum': return listForm(z.enum(spec.values ?? []));
    case 'country': return FILTER_FORMS.CountryFilter;
    case 'number': return FILTER_FORMS.NumberFilter;
    case 'date': return FILTER_FORMS.DateFilter;
    case 'presence': return FILTER_FORMS.PresenceFilter;
    default: return spec.compares satisfies never;
  }
}

/** The whole body of a find in one dataset. */
export function findBodyOf({ dataset, filters }: Vocabulary, form: AnswerForm) {
  const forms = Object.fromEntries(filters.map((spec) => [spec.name, filterForm(spec).optional().describe(spec.description)]));
  return findBody(form).extend({
    type: z.literal(dataset),
    filters: z.strictObject(forms).optional().describe('filters by name; values of one filter OR, filters AND'),
  });
}
