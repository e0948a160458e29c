/** What the random cases of a test grow from: another each time, or the one that a failure named, to meet it again. */
export const SEED = Number(process.env['LDS_FUZZ_SEED'] ?? Date.now() % 2 ** 31);
