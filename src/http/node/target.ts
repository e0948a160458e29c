const SLASH = 0x2f;
const AUTHORITY = /^https?:\/\/[^/?#]+/i;

/** The path and query of a request's target. In absolute form, as proxies send it (RFC 9112, 3.2.2), what stands before them says no more than `Host`. */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === SLASH) return target;
  const rest = target.replace(AUTHORITY, '');
  return rest === target || rest.charCodeAt(0) === SLASH ? rest : `/${rest}`;
}
