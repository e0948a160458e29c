import { rest } from './odd_worker.ts';

export { serveTerm } from './odd_worker.ts';

/** A scan thread that takes long to load. */
rest(1_500);
