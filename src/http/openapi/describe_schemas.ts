import { z } from 'zod';
import type { SourcesDescription } from '../../find/sources.ts';
import type { SchemaDocument } from '../../find/schema.ts';
import { DATASETS } from '../../model/dataset.ts';
import { FIELD_TYPES } from '../../model/field.ts';

const COUNTS = z.record(z.string(), z.int().min(0));

export const SOURCES = z.object({
  sources: z.array(z.object({
    name: z.string(),
    type: z.enum(DATASETS),
    rows: z.int().min(0).nullable().describe('that it holds, those that are suppressed among them; null where the source cannot count'),
    updated_at: z.string().nullable(),
    status: z.enum(['ok', 'degraded', 'down']),
    filters: z.record(z.string(), z.enum(['pushed', 'residual', 'unsupported'])),
    fields: z.array(z.string()),
    fill: z.record(z.string(), z.number().min(0).max(1)).describe('share of rows in which a field is not null'),
    countries: COUNTS.describe('rows by country'),
  })),
  totals: z.object({ contacts: z.int().min(0), companies: z.int().min(0) }),
}) satisfies z.ZodType<SourcesDescription>;

const TYPE = z.object({
  filters: z.array(z.object({
    name: z.string(),
    kind: z.enum(['narrowing', 'presence']),
    values: z.enum(['strings', 'boolean', 'range']),
    description: z.string(),
    example: z.unknown().describe('a value that the filter takes'),
    enum: z.array(z.string()).optional(),
    sources: z.array(z.string()).describe('sources that have the column'),
  })),
  fields: z.array(z.object({ name: z.string(), type: z.enum(FIELD_TYPES), nullable: z.boolean(), description: z.string() })),
  searchable: z.array(z.string()).describe('fields that the free text looks into'),
});

export const SCHEMA = z.object({
  version: z.string(),
  types: z.object({ contacts: TYPE, companies: TYPE }),
  limits: z.record(z.string(), z.number()),
  email: z.object({
    stages: z.array(z.string()),
    codes: z.array(z.object({ code: z.string(), status: z.string().nullable(), description: z.string() })),
  }),
}) satisfies z.ZodType<SchemaDocument>;

const GAUGE = z.object({
  limit: z.int().nullable().describe('null where the plan has none'),
  used: z.int().nullable().describe('null where it is not counted: the requests of a plan without caps'),
  remaining: z.int().nullable(),
  resets_in_s: z.int().nullable(),
  of: z.string(),
});
const USE = { requests: z.int().min(0), units: z.int().min(0) };

export const USAGE = z.object({
  plan: z.string(),
  caps: z.object({ burst: GAUGE, daily: GAUGE, umbrella: GAUGE }),
  days: z.array(z.object({ day: z.iso.date(), ...USE, endpoints: z.record(z.string(), z.object(USE)) })),
});

export const HEALTH = z.object({
  status: z.enum(['ok', 'degraded']),
  phase: z.string(),
  version: z.string(),
  uptime_s: z.number().min(0),
  components: z.record(z.string(), z.object({ status: z.enum(['ok', 'degraded', 'down']), detail: z.string() })),
});
