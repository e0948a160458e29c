import { capsAt } from '../../accounts/setting.ts';
import { capsSuite } from './caps_suite.ts';

capsSuite('one process', async (_, clock, store) => capsAt(clock, store));
