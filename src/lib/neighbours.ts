/** What stands side by side and has the same form, at most so many together; what has none stands alone. */
export function neighbours<T>(all: readonly T[], formOf: (one: T) => string | null, most = Infinity): T[][] {
  const groups: T[][] = [];
  let before: string | null = null;
  for (const one of all) {
    const form = formOf(one);
    const group = groups.at(-1);
    if (form !== null && form === before && group!.length < most) group!.push(one);
    else groups.push([one]);
    before = form;
  }
  return groups;
}
