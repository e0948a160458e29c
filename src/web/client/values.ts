/** What was typed into a filter: values with commas between them. One that has a comma of its own stands in double quotes. */
export function valuesIn(text: string): string[] {
  return Array.from(text.matchAll(/\s*(?:"([^"]*)"|([^,]+))/g), ([, quoted, plain]) => (quoted ?? plain ?? '').trim()).filter((value) => value !== '');
}
