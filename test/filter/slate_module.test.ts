import { test } from 'node:test';
import { SLATE_MODULE } from '../../src/filter/slate_module.ts';
import { holdModule } from '../support/assembled_module.ts';

test('the module that works bitmaps out is what its source says', () => holdModule('filter/slate', SLATE_MODULE));
