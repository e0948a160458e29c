import type { Metrics } from '../telemetry/metrics.ts';
import type { Validator } from './open.ts';

/** Shows the validator's counts among the service's metrics. */
export function exposeValidator(metrics: Metrics, validator: Validator): void {
  metrics.counterOf('lds_validate_lookups_total', 'Look-ups of email validation, by cache and what it had.', ['cache', 'outcome'], () =>
    Object.entries(validator.metrics().caches).flatMap(([cache, { hits, misses, stale }]) => [
      [[cache, 'hit'], hits], [[cache, 'miss'], misses], [[cache, 'stale'], stale],
    ] as const));
  metrics.gauge('lds_validate_cached', 'Answers kept by email validation.', ['cache'], () =>
    Object.entries(validator.metrics().caches).map(([cache, { entries }]) => [[cache], entries] as const));
  metrics.counterOf('lds_validate_results_total', 'Addresses validated, by status.', ['status'], () =>
    Object.entries(validator.metrics().results).map(([status, count]) => [[status], count] as const));
  metrics.counterOf('lds_validate_dns_queries_total', 'Queries sent to resolvers.', () => validator.metrics().dnsQueries);
  metrics.counterOf('lds_validate_mailbox_sessions_total', 'Sessions with mail hosts, or calls of the validator backend.', () => validator.metrics().mailSessions);
}
