/** A local part in quotes may hold anything; quotes that are part of another are masked with it. */
const ADDRESS = /("(?:[^"\\]|\\.){0,128}"|[^\s@:;,<>()]{1,128})@([^\s@:;,<>"'()]+)/g;
/** A phone number in the midst of a text, where its international form tells it from other numbers. */
const PHONE = /[+＋](?:[\s()./-]{0,3}\p{Nd}){8,15}/gu;
const PHONE_CHARACTERS_SHOWN = 3;

/** The value with every email address and phone number in it, and every member `phone` in whatever form, made unreadable: what remains tells that there is one. */
export function masked(value: unknown, member = ''): unknown {
  if (typeof value === 'string') return member === 'phone' ? maskedPhone(value) : maskedText(value);
  if (Array.isArray(value)) return value.map((each) => masked(each, member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each, name)]));
}

function maskedText(text: string): string {
  const numberless = text.replace(PHONE, maskedPhone);
  return text.includes('@') ? numberless.replace(ADDRESS, (_, local: string, domain: string) => `${local.slice(0, 1)}***@${domain}`) : numberless;
}

function maskedPhone(phone: string): string {
  return phone.slice(0, PHONE_CHARACTERS_SHOWN) + phone.slice(PHONE_CHARACTERS_SHOWN).replace(/\p{Nd}/gu, '*');
}
