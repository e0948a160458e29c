const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Text of 4 or 16 address bytes; an IPv4 address that a dual-stack socket wraps in IPv6 is given as IPv4, so that one peer has one name. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.byteLength === 4) return bytes.join('.');
  if (bytes.byteLength !== 16) return '';
  if (MAPPED.every((byte, at) => bytes[at] === byte)) return bytes.subarray(12).join('.');
  return compressed(Array.from({ length: 8 }, (_, at) => ((bytes[2 * at]! << 8) | bytes[2 * at + 1]!).toString(16)));
}

/** RFC 5952: the longest run of two or more zero groups becomes `::`, the first of equals. */
function compressed(groups: readonly string[]): string {
  let start = 0;
  let length = 1;
  for (let at = 0; at < groups.length; at += 1) {
    let end = at;
    while (groups[end] === '0') end += 1;
    if (end - at > length) [start, length] = [at, end - at];
  }
  if (length === 1) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** The same for an address that is text already. */
export function unmapped(text: string): string {
  return text.startsWith('::ffff:') && text.includes('.') ? text.slice('::ffff:'.length) : text;
}
