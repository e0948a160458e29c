/** RFC 3492, with the parameters of IDNA. */
const [BASE, T_MIN, T_MAX, SKEW, DAMP, BIAS_FIRST, CODE_FIRST] = [36, 1, 26, 38, 700, 72, 128] as const;
const HYPHEN = '-';
/** Differences are 32 bits wide; a label that needs more is none. */
const DELTA_MAX = 0x7fff_ffff;

function adapt(delta: number, points: number, first: boolean): number {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

function threshold(k: number, bias: number): number {
  return k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
}

function digit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 97 : value + 22);
}

/** What follows `xn--`. Null where a difference is too large. */
export function encodePunycode(points: readonly number[]): string | null {
  let out = '';
  for (const point of points) if (point < CODE_FIRST) out += String.fromCharCode(point);
  const basic = out.length;
  if (basic > 0) out += HYPHEN;
  let [next, delta, bias] = [CODE_FIRST as number, 0, BIAS_FIRST as number];
  for (let handled = basic; handled < points.length; delta += 1, next += 1) {
    let least = Infinity;
    for (const point of points) if (point >= next && point < least) least = point;
    delta += (least - next) * (handled + 1);
    if (delta > DELTA_MAX) return null;
    next = least;
    for (const point of points) {
      if (point < next) delta += 1;
      if (point !== next) continue;
      let rest = delta;
      for (let k: number = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (rest < t) break;
        out += digit(t + ((rest - t) % (BASE - t)));
        rest = Math.floor((rest - t) / (BASE - t));
      }
      out += digit(rest);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled += 1;
    }
  }
  return out;
}

/** The code points behind what follows `xn--`, in lower case; null where it is none. */
export function decodePunycode(text: string): number[] | null {
  const cut = text.lastIndexOf(HYPHEN);
  const points: number[] = [];
  for (let at = 0; at < cut; at++) points.push(text.charCodeAt(at));
  let [next, index, bias] = [CODE_FIRST as number, 0, BIAS_FIRST as number];
  for (let at = cut > 0 ? cut + 1 : 0; at < text.length; index += 1) {
    const before = index;
    for (let k: number = BASE, weight = 1; ; k += BASE) {
      const value = at < text.length ? digitValue(text.charCodeAt(at++)) : -1;
      index += value * weight;
      if (value === -1 || index > DELTA_MAX) return null;
      const t = threshold(k, bias);
      if (value < t) break;
      weight *= BASE - t;
    }
    const count = points.length + 1;
    bias = adapt(index - before, count, before === 0);
    next += Math.floor(index / count);
    index %= count;
    if (next > 0x10_ffff) return null;
    points.splice(index, 0, next);
  }
  return points;
}

function digitValue(code: number): number {
  if (code >= 97 && code <= 122) return code - 97;
  return code >= 48 && code <= 57 ? code - 22 : -1;
}
