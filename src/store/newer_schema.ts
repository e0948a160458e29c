/** Why a store is refused whose tables a later version has changed. */
export function newerSchema(version: number, known: number): string {
  return `it was written by a newer version of this service (schema ${version}; this one knows ${known})`;
}

/** What to do then. */
export const USE_NEWER = 'use that version, or the backup of before';
