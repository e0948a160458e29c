export const PLAN_NAMES = ['preview', 'standard', 'unlimited'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** `waiting`: signed up without an invite. Only the keys of an active account open anything. */
export const ACCOUNT_STATUSES = ['active', 'waiting', 'suspended'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

export type KeyKind = 'external' | 'admin';

/** What usage is counted by. */
const ENDPOINTS = ['find', 'validate', 'sources', 'schema', 'usage', 'admin'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];
