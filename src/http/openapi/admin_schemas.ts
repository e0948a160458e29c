import { z } from 'zod';
import type { Administration, UsageGroup } from '../../accounts/administration.ts';
import type { ShownAccount, ShownInvite, ShownKey } from '../../accounts/shown.ts';
import { SOURCE_KINDS } from '../../config/sources.ts';
import { ACCOUNT_STATUSES, PLAN_NAMES } from '../../model/account.ts';
import { DATASETS } from '../../model/dataset.ts';
import type { InternalSource } from '../../find/source_desk.ts';

const NEXT = z.string().nullable().describe('cursor of the next page; null on the last');
const COUNT = z.int().min(0);

export const INVITE = z.object({
  id: z.string(), state: z.enum(['open', 'used', 'expired']), uses: z.int().min(1), uses_left: COUNT, created_at: z.string(), expires_at: z.string().nullable(),
}) satisfies z.ZodType<ShownInvite>;
export const MADE_INVITE = INVITE.extend({ code: z.string().describe('shown this once') }) satisfies z.ZodType<Awaited<ReturnType<Administration['createInvite']>>>;
export const INVITES = z.object({ invites: z.array(INVITE), next_cursor: NEXT });

export const ACCOUNT = z.object({
  id: z.string(), email: z.string(), plan: z.enum(PLAN_NAMES), status: z.enum(ACCOUNT_STATUSES), created_at: z.string(),
}) satisfies z.ZodType<ShownAccount>;
export const ACCOUNTS = z.object({ accounts: z.array(ACCOUNT), next_cursor: NEXT });

export const KEY = z.object({
  id: z.string(), account_id: z.string(), kind: z.enum(['external', 'admin']), hint: z.string().describe('its first characters'), name: z.string(),
  state: z.enum(['active', 'ending', 'revoked']), created_at: z.string(), ends_at: z.string().nullable(),
}) satisfies z.ZodType<ShownKey>;
export const MADE_KEY = KEY.extend({ key: z.string().describe('shown this once') }) satisfies z.ZodType<Awaited<ReturnType<Administration['createKey']>>>;
export const KEYS = z.object({ keys: z.array(KEY), next_cursor: NEXT });

const COUNTS = { requests: COUNT, units: z.int() } satisfies Record<Exclude<keyof UsageGroup, 'name'>, z.ZodType>;
export const ALL_USAGE = z.object({
  from: z.string(), to: z.string(), by: z.enum(['day', 'account', 'endpoint']),
  usage: z.array(z.object({ day: z.string().optional(), account_id: z.string().optional(), endpoint: z.string().optional(), ...COUNTS })),
  total: z.object(COUNTS),
});

export const INTERNAL_SOURCE = z.object({
  name: z.string(), type: z.enum(DATASETS), kind: z.enum(SOURCE_KINDS), status: z.enum(['ok', 'degraded', 'down']), trouble: z.string().nullable(), snapshot: z.string(),
  rows: COUNT.nullable(), updated_at: z.string().nullable(),
  segments: z.array(z.object({ id: z.string(), rows: COUNT, in_memory: z.boolean() })),
  last_failure: z.object({ at: z.string(), code: z.string(), detail: z.string().describe('in the words of its provider, without values of rows and of searches') })
    .nullable().describe('of a source that is no lake; kept when it is well again'),
  config: z.record(z.string(), z.unknown()).nullable().describe('its entry of the configuration, without passwords and header values'),
}) satisfies z.ZodType<InternalSource>;
export const INTERNAL_SOURCES = z.object({ sources: z.array(INTERNAL_SOURCE) });

export const SUPPRESSIONS = z.object({
  suppressions: z.array(z.object({ email_sha256: z.string().optional(), domain: z.string().optional(), linkedin_url: z.string().optional(), created_at: z.string() })),
  next_cursor: NEXT,
});
export const SUPPRESSED = z.object({ added: COUNT.describe('entries that were not there before') });
export const UNSUPPRESSED = z.object({ removed: COUNT.describe('entries that were there') });
