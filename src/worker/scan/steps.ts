/** Work that may be left and taken up again wherever it yields. Matchers share their lists: what one gave is used up before. */
export type Steps<T> = Generator<void, T, void>;
