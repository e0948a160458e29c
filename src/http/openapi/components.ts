import { z } from 'zod';
import { LIMITS } from '../../config/limits.ts';
import { FILTER_FORMS, findBodyOf } from '../../find/request/filter_forms.ts';
import type { Dataset } from '../../model/dataset.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { ACCOUNT_CHANGE, NEW_INVITE, NEW_KEY } from '../handlers/admin/people.ts';
import { SUPPRESSION_BODY } from '../handlers/admin/suppressions.ts';
import {
  ACCOUNT, ACCOUNTS, ALL_USAGE, INTERNAL_SOURCE, INTERNAL_SOURCES, INVITE, INVITES, KEY, KEYS, MADE_INVITE, MADE_KEY, SUPPRESSED, SUPPRESSIONS, UNSUPPRESSED,
} from './admin_schemas.ts';
import { HEALTH, SCHEMA, SOURCES, USAGE } from './describe_schemas.ts';
import { ANSWER, CONTROL_LINE, OUTCOME, rowSchema } from './find_schemas.ts';
import { PROBLEM } from './problem_schemas.ts';
import { VALIDATE_ANSWER, VALIDATE_BODY, VALIDATE_LINE, VALIDATE_PROBLEM, VALIDATION } from './validate_schemas.ts';

export type Vocabularies = Readonly<Record<Dataset, Vocabulary>>;

/** Every schema of the document by its name in `components`. */
export function componentSchemas({ contacts, companies }: Vocabularies) {
  const Contact = rowSchema(contacts);
  const Company = rowSchema(companies);
  const FindContacts = findBodyOf(contacts, 'stream');
  const FindCompanies = findBodyOf(companies, 'stream');
  const limit = z.int().min(1).max(LIMITS.playgroundRowsMax).optional();
  return {
    ...FILTER_FORMS,
    FindContacts, FindCompanies, Contact, Company,
    FindRequest: z.union([FindContacts, FindCompanies]),
    FindAnswer: z.object({ results: z.array(z.union([Contact, Company])), ...ANSWER.shape }),
    StreamLine: CONTROL_LINE,
    SourceOutcome: OUTCOME,
    Sources: SOURCES, Schema: SCHEMA, Usage: USAGE, Health: HEALTH,
    Problem: PROBLEM,
    ValidateRequest: VALIDATE_BODY,
    Validation: VALIDATION,
    ValidateAnswer: VALIDATE_ANSWER,
    ValidateLine: VALIDATE_LINE,
    ValidateProblem: VALIDATE_PROBLEM,
    NewInvite: NEW_INVITE, MadeInvite: MADE_INVITE, Invite: INVITE, Invites: INVITES,
    Account: ACCOUNT, Accounts: ACCOUNTS, AccountChange: ACCOUNT_CHANGE,
    NewKey: NEW_KEY, MadeKey: MADE_KEY, Key: KEY, Keys: KEYS,
    UsageTotals: ALL_USAGE, InternalSource: INTERNAL_SOURCE, InternalSources: INTERNAL_SOURCES,
    SuppressionBody: SUPPRESSION_BODY, Suppressions: SUPPRESSIONS, Suppressed: SUPPRESSED, Unsuppressed: UNSUPPRESSED,
    PlaygroundFind: z.union([contacts, companies].map((words) => findBodyOf(words, 'page').omit({ cursor: true }).extend({ limit }))),
    PlaygroundValidate: z.strictObject({ email: z.string() }),
  };
}

export type ComponentName = keyof ReturnType<typeof componentSchemas>;

const PREFIX = '#/components/schemas/';

export function reference(name: ComponentName): { readonly $ref: string } {
  return { $ref: PREFIX + name };
}

const INT32_MAX = 2 ** 31 - 1;

/** Generators of clients read an integer of no format into 32 bits: a revenue of three billions would be more than it takes. */
function nameWidth(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.type === 'integer' && (schema.maximum ?? Infinity) > INT32_MAX) schema.format = 'int64';
}

/** The same as JSON Schema, each referring to the others by name. */
export function componentDocuments(vocabularies: Vocabularies): Readonly<Record<string, unknown>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(componentSchemas(vocabularies))) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => PREFIX + id, io: 'input', unrepresentable: 'any', override: ({ jsonSchema }) => nameWidth(jsonSchema) });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema: _dialect, $id: _uri, ...schema }]) => [id, schema]));
}
