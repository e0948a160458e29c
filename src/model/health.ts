/** How a part of the service is, in words that may leave the house. */
export type Health = { readonly status: 'ok' | 'degraded' | 'down'; readonly detail: string };
