import { test } from 'node:test';
import { ROWS_MODULE } from '../../src/segment/rows_module.ts';
import { holdModule } from '../support/assembled_module.ts';

test('the module that puts rows together is what its source says', () => holdModule('segment/rows', ROWS_MODULE));
