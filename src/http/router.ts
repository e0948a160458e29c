/** `{name}` in a path takes one segment. Whatever else a route carries is the business of who reads it. */
export type RoutePattern = { readonly method: string; readonly path: string };

export type RouteMatch<R> =
  | { readonly kind: 'found'; readonly route: R; readonly parameters: ReadonlyMap<string, string> }
  /** `path` as its routes have it. */
  | { readonly kind: 'options' | 'wrong_verb'; readonly allow: string; readonly path: string }
  | { readonly kind: 'unknown_path' };

type Router<R> = (method: string, path: string) => RouteMatch<R>;

type Place<R> = { readonly path: string; readonly verbs: ReadonlyMap<string, R>; readonly allow: string; readonly segments: readonly string[] };

/** No percent sign: paths are matched as they were sent, so what needs decoding names nothing. */
const SEGMENT = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/;
export const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();
const UNKNOWN_PATH = { kind: 'unknown_path' } as const;

export function makeRouter<R extends RoutePattern>(routes: readonly R[]): Router<R> {
  const places = [...byPath(routes)].map(([path, verbs]): [string, Place<R>] => [path, placeOf(path, verbs)]);
  const exact = new Map(places.filter(([path]) => !path.includes('{')));
  const open = places.filter(([path]) => path.includes('{')).map(([, place]) => place);
  return (method, path) => {
    const place = exact.get(path);
    return place === undefined ? matchOpen(open, method, path) : matchVerb(place, method, NO_PARAMETERS);
  };
}

function byPath<R extends RoutePattern>(routes: readonly R[]): Map<string, Map<string, R>> {
  const paths = new Map<string, Map<string, R>>();
  for (const route of routes) {
    const verbs = paths.get(route.path) ?? new Map<string, R>();
    if (verbs.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    paths.set(route.path, verbs.set(route.method, route));
  }
  return paths;
}

/** HEAD is answered by the route of GET: the exchange leaves the body out. */
function placeOf<R>(path: string, verbs: Map<string, R>): Place<R> {
  const get = verbs.get('GET');
  if (get !== undefined && !verbs.has('HEAD')) verbs.set('HEAD', get);
  return { path, verbs, allow: [...verbs.keys(), 'OPTIONS'].sort().join(', '), segments: path.split('/') };
}

function matchOpen<R>(open: readonly Place<R>[], method: string, path: string): RouteMatch<R> {
  const segments = path.split('/');
  for (const place of open) {
    const parameters = parametersOf(place.segments, segments);
    if (parameters !== null) return matchVerb(place, method, parameters);
  }
  return UNKNOWN_PATH;
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Map<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const parameters = new Map<string, string>();
  for (const [at, expected] of pattern.entries()) {
    const given = segments[at]!;
    if (expected.startsWith('{')) {
      if (!SEGMENT.test(given)) return null;
      parameters.set(expected.slice(1, -1), given);
    } else if (expected !== given) return null;
  }
  return parameters;
}

function matchVerb<R>(place: Place<R>, method: string, parameters: ReadonlyMap<string, string>): RouteMatch<R> {
  const route = place.verbs.get(method);
  if (route !== undefined) return { kind: 'found', route, parameters };
  return { kind: method === 'OPTIONS' ? 'options' : 'wrong_verb', allow: place.allow, path: place.path };
}
