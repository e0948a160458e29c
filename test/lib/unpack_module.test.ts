import { test } from 'node:test';
import { UNPACK_MODULE } from '../../src/lib/unpack_module.ts';
import { holdModule } from '../support/assembled_module.ts';

test('the module that unpacks pages is what its source says', () => holdModule('lib/unpack', UNPACK_MODULE));
