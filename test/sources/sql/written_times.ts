/** Texts that are times, each as it is shown, and such as only look like one. */
export const WRITTEN_TIMES: readonly (readonly [text: string, shown: string | null])[] = [
  ['2024-01-31', '2024-01-31'], [' 2024-01-31T23:59:59Z ', '2024-01-31T23:59:59Z'], ['2024-12-01T00:00:00.12Z', '2024-12-01T00:00:00.12Z'],
  ['2024-13-01', null], ['2024-00-10', null], ['2024-01-32', null], ['9999-99-99', null], ['2024-01-31T24:00:00Z', null], ['2024-01-31T10:60:00Z', null], ['2024-01-31T10:00:60Z', null],
  ['2024-01-31 10:00:00', null], ['soon', null],
];
