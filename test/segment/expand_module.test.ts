import { test } from 'node:test';
import { EXPAND_MODULE } from '../../src/segment/expand_module.ts';
import { holdModule } from '../support/assembled_module.ts';

test('the module that spells rows is what its source says', () => holdModule('segment/expand', EXPAND_MODULE));
