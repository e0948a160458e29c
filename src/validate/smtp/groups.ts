export type Recipient = {
  readonly address: string;
  readonly domain: string;
  /** Needs SMTPUTF8. */
  readonly utf8: boolean;
};

/** Recipients of one domain, in transactions of their own: some hosts, Google's among them, take one domain in each and put the others off. */
export type Group = { readonly domain: string; readonly utf8: boolean; readonly indexes: readonly number[] };

export function groupsOf(recipients: readonly Recipient[]): Group[] {
  const groups = new Map<string, Group & { readonly indexes: number[] }>();
  for (const [index, { domain, utf8 }] of recipients.entries()) {
    const key = `${utf8} ${domain}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { domain, utf8, indexes: [index] });
    else group.indexes.push(index);
  }
  return [...groups.values()];
}
