/** What the engine reads itself. */
export type Encoding = 'utf-8' | 'utf-16' | 'latin-1';
export const ENCODINGS: readonly Encoding[] = ['utf-8', 'utf-16', 'latin-1'];

/** One of those, or the name of another as decoders have it; null where there is none of that name. */
export function encodingNamed(text: string): string | null {
  if (ENCODINGS.some((known) => known === text)) return text;
  try {
    const { encoding } = new TextDecoder(text);
    return encoding === 'windows-1252' ? 'latin-1' : encoding;
  } catch {
    return null;
  }
}
