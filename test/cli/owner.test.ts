import assert from 'node:assert/strict';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT } from '../../src/cli/command.ts';
import { checkDataFolder } from '../../src/cli/doctor/machine.ts';
import { ingestCommand } from '../../src/cli/ingest.ts';
import { deniedIn, foreignIn } from '../../src/cli/owner.ts';
import { folderOf } from '../support/folder.ts';
import { config } from './doctor_support.ts';
import { runCommand } from './run_command.ts';

/** Of nobody in the file of users, so that their numbers are told. */
const SERVICE = 70_001;
const OTHER = 70_002;
const NO_ROOT = process.getuid?.() === 0 ? false : 'only root gives a file to another user';

test('a lake that root published into the folder of the service is told by doctor and by the refusal of the next ingest', { skip: NO_ROOT }, async (t) => {
  const mask = process.umask(0o022);
  t.after(() => process.umask(mask));
  const dataDir = folderOf(t);
  const file = join(dataDir, 'a.csv');
  await writeFile(file, 'name,email\nAnn,ann@a.com\n', { mode: 0o644 });
  await chown(dataDir, SERVICE, SERVICE);
  const settings = config({ dataDir });
  const ingest = () => runCommand('ingest', ingestCommand, [file, '--dataset', 'contacts', '--source', 'crm'], async () => settings);
  const told = () => checkDataFolder(settings).map(({ status, detail, advice }) => `${status} ${detail}: ${advice}`)[0];
  assert.equal((await ingest()).code, EXIT.done);
  const lake = join(dataDir, 'lake');
  const said = `${lake} belongs to the user root, and the user ${SERVICE} may not write into it`;
  const warned = `warn ${said}: if ${SERVICE} runs the service: chown -R ${SERVICE} ${dataDir}/, and run commands as this user`;
  assert.equal(told(), warned, 'where root asks');
  process.seteuid!(SERVICE);
  try {
    assert.equal(told(), warned, 'where the service asks');
    const { code, notes } = await ingest();
    const refusal = `permission denied: ${said}: run it as the user who runs the service, and if that is ${SERVICE}, first chown -R ${SERVICE} ${dataDir}/; what was published before stands`;
    assert.deepEqual([code, notes.trim().split('\n').at(-1)], [EXIT.failed, `lds ingest: ${refusal}`]);
  } finally {
    process.seteuid!(0);
  }
});

test('what another user has in a data folder is told where its owner may not use it, and nothing where he may', { skip: NO_ROOT }, async (t) => {
  const dataDir = folderOf(t);
  const segments = join(dataDir, 'lake', 'contacts', 'crm', 'segments');
  const rows = join(segments, '000001-0000-a.rows');
  await mkdir(segments, { recursive: true });
  await writeFile(rows, '', { mode: 0o600 });
  assert.equal(foreignIn(dataDir, 0), null, 'all is of root, who may do anything');
  for (const at of ['', 'lake', 'lake/contacts', 'lake/contacts/crm', 'lake/contacts/crm/segments']) await chown(join(dataDir, at), SERVICE, SERVICE);
  assert.deepEqual(foreignIn(dataDir), { found: rows, whose: 'root', owner: String(SERVICE), does: 'read' });
  await chmod(rows, 0o644);
  assert.equal(foreignIn(dataDir), null);
  await chown(segments, OTHER, SERVICE);
  assert.deepEqual(foreignIn(dataDir), { found: segments, whose: String(OTHER), owner: String(SERVICE), does: 'write into' });
  await chmod(segments, 0o775);
  assert.equal(foreignIn(dataDir), null, 'shared by its group');
});

test('whoever runs a command in the folder of another user is told to run it as that one', { skip: NO_ROOT }, async (t) => {
  const dataDir = folderOf(t);
  await chown(dataDir, SERVICE, SERVICE);
  assert.equal(deniedIn(dataDir, OTHER), `permission denied: ${dataDir} belongs to the user ${SERVICE}: run it as this one`);
  assert.equal(deniedIn(dataDir, SERVICE), null);
});
