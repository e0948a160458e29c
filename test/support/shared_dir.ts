/** The environment variable that names a folder of one run of all tests, for what several files of them need and change nothing of. */
export const SHARED_DIR = 'TEST_SHARED_DIR';
