import { test } from 'node:test';
import { DESK_ROWS_MODULE } from '../../src/encode/desk_rows_module.ts';
import { holdModule } from '../support/assembled_module.ts';

test('the module that makes rows on the desk is what its source says', () => holdModule('encode/desk_rows', DESK_ROWS_MODULE));
