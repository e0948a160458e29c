import { test } from 'node:test';
import { SHORT_DIGESTS_MODULE } from '../../src/lib/short_digests_module.ts';
import { holdModule } from '../support/assembled_module.ts';

test('the module that hashes short texts is what its source says', () => holdModule('lib/short_digests', SHORT_DIGESTS_MODULE));
