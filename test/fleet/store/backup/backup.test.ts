// @module-tag slow
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CreateComputer } from '../../../../src/contract/resources.js';
import { hashApiKey } from '../../../../src/fleet/computers/ids.js';
import { restoreState } from '../../../../src/fleet/store/backup/restore.js';
import { databaseFile } from '../../../../src/fleet/store/database.js';
import { openStore } from '../../../../src/fleet/store/index.js';
import { FakeEngine } from '../../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../../support/fleet.js';

let parent: string;
let file: string;
let elsewhere: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'vc-backup-'));
  file = join(parent, 'backup');
  elsewhere = join(parent, 'elsewhere');
});
afterEach(() => rmSync(parent, { recursive: true }));

/** A store with an owner, a secret and a backup of it. */
function backedUp(directory = join(parent, 'state')): string {
  const store = openStore(directory);
  const owner = { name: 'default', role: 'administrator', max_running: null } as const;
  store.owners.createOwner({ ...owner, created_by: null }, 'vc_key');
  store.streamTargets.insert(ownerOf(store, 'vc_key'), 'studio', {
    url: 'rtmp://studio.example.com/live',
    stream_key: 'secret-stream-key',
  });
  store.backup(file, '1.2.3');
  store.close();
  return directory;
}

function ownerOf(store: ReturnType<typeof openStore>, key: string): string {
  return store.keys.findByHash(hashApiKey(key))?.owner_id ?? '';
}

it('restores encrypted secrets and their key', () => {
  backedUp();
  const { facts, counts, replaced } = restoreState(elsewhere, file);
  expect(facts).toMatchObject({ format: 1, version: '1.2.3', images: [] });
  expect([counts.owners, replaced]).toEqual([1, undefined]);
  const store = openStore(elsewhere);
  const owner = ownerOf(store, 'vc_key');
  const [studio] = store.streamTargets.list(owner);
  expect(studio && store.streamTargets.open(studio)).toEqual({
    url: 'rtmp://studio.example.com/live',
    stream_key: 'secret-stream-key',
  });
  store.close();
  expect(statSync(join(elsewhere, 'secret.key')).mode & 0o777).toBe(0o600);
  expect(statSync(databaseFile(elsewhere)).mode & 0o777).toBe(0o600);
  // The key is next to the restored database, not in it.
  const key = readFileSync(join(elsewhere, 'secret.key'));
  expect(readFileSync(databaseFile(elsewhere)).includes(key)).toBe(false);
});

it('restores the access to a cluster, and keeps a present one that the backup lacks', () => {
  const names = ['client.crt', 'client.key', 'cluster.json', 'server.crt'];
  const directory = join(parent, 'state');
  const plant = (text: string) => {
    mkdirSync(join(directory, 'incus'), { recursive: true, mode: 0o700 });
    for (const name of names) writeFileSync(join(directory, 'incus', name), `${text} ${name}`);
    writeFileSync(join(directory, 'incus', 'other'), text);
    chmodSync(join(directory, 'incus', 'client.crt'), 0o644);
  };
  const read = (where: string) =>
    names.map((name) => readFileSync(join(where, 'incus', name), 'utf8'));
  plant('old');
  backedUp(directory);
  plant('new');

  restoreState(elsewhere, file);
  expect(read(elsewhere)).toEqual(names.map((name) => `old ${name}`));
  expect(readdirSync(join(elsewhere, 'incus')).sort()).toEqual(names);
  expect(statSync(join(elsewhere, 'incus')).mode & 0o777).toBe(0o700);
  for (const name of names) {
    expect(statSync(join(elsewhere, 'incus', name)).mode & 0o777).toBe(0o600);
  }
  // Neither is left in free pages of the database.
  expect(readFileSync(databaseFile(elsewhere)).includes('old client.key')).toBe(false);

  const { replaced = '' } = restoreState(directory, file);
  expect(read(directory)).toEqual(names.map((name) => `old ${name}`));
  expect(read(replaced)).toEqual(names.map((name) => `new ${name}`));

  rmSync(file);
  backedUp(join(parent, 'without'));
  restoreState(directory, file);
  expect(read(directory)).toEqual(names.map((name) => `old ${name}`));
});

it('restores no published ports', async () => {
  const fleet = await openTestFleet();
  const { store } = fleet;
  const owner = fleet.fleet.apiKeys.authenticate(fleet.key);
  if (owner === undefined) throw new Error('the key is not known');
  fleet.fleet.projects.create(owner, 'demo');
  const input = CreateComputer.parse({ name: 'desk' });
  const project = fleet.fleet.projects.find(owner, 'demo');
  const { id } = await fleet.fleet.computers.create(owner, project, input, 'ready');
  const record = fleet.fleet.computers.find(owner, { id });
  fleet.fleet.publications.create(owner, record, { port: 80, public: true });
  expect(store.publications.ofOwner(owner.id)).toHaveLength(1);
  store.backup(file, '1.2.3');
  await fleet.close();
  restoreState(elsewhere, file);
  const restored = openStore(elsewhere);
  expect(restored.publications.ofOwner(owner.id)).toEqual([]);
  restored.close();
});

it('moves an existing state aside', () => {
  const directory = backedUp();
  const { replaced = '' } = restoreState(directory, file);
  expect(readdirSync(replaced).sort()).toEqual(['secret.key', 'vc.db']);
  openStore(replaced).close();
  openStore(directory).close();
});

it('changes nothing while a service uses the state', () => {
  const directory = backedUp();
  const store = openStore(directory);
  const umask = process.umask();
  expect(() => restoreState(directory, file)).toThrow('A service runs in');
  expect(process.umask()).toBe(umask);
  expect(store.owners.hasOwners()).toBe(true);
  store.close();
  expect(readdirSync(directory).sort()).toEqual(['reserve', 'secret.key', 'vc.db']);
});

it.each([
  ['no database', () => writeFileSync(file, 'a text'), 'not a whole backup'],
  [
    'a database that is not a backup',
    () => new Database(file).exec('CREATE TABLE t (a)'),
    'no such table',
  ],
  ['cut off', () => writeFileSync(file, readFileSync(file).subarray(0, 9000)), 'malformed'],
  [
    'of another version of vc',
    () => new Database(file).exec('PRAGMA user_version = 21'),
    'another version of vc (1.2.3)',
  ],
])('refuses a file that is %s, and changes nothing', (_, spoil, message) => {
  const directory = backedUp();
  const before = readFileSync(databaseFile(directory));
  if (message.startsWith('no')) rmSync(file);
  spoil();
  expect(() => restoreState(directory, file)).toThrow(message);
  expect(readFileSync(databaseFile(directory)).equals(before)).toBe(true);
  expect(readdirSync(directory).sort()).toEqual(['reserve', 'secret.key', 'vc.db']);
});

it('replaces a damaged database', () => {
  const directory = backedUp();
  writeFileSync(databaseFile(directory), 'nothing of use');
  restoreState(directory, file);
  const store = openStore(directory);
  expect(ownerOf(store, 'vc_key')).not.toBe('');
  store.close();
});

it('machines newer than the backup are kept, orphans of later crashes are removed', async () => {
  const engine = new FakeEngine();
  let test: TestFleet = await openTestFleet({ engine, maxRunning: 9 });
  const owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
  const create = (name: string) => {
    const project = test.fleet.projects.find(owner, 'demo');
    return test.fleet.computers.create(owner, project, CreateComputer.parse({ name }), 'ready');
  };
  const old = await create('old');
  await test.fleet.close();
  const store = openStore(test.directory);
  store.backup(file, '1.2.3');
  store.close();
  test = await openTestFleet({ engine, directory: test.directory, key: test.key, maxRunning: 9 });
  const young = await create('young');
  await test.fleet.close();

  restoreState(test.directory, file);
  test = await openTestFleet({ engine, directory: test.directory, key: test.key, maxRunning: 9 });
  await vi.waitFor(() => expect(test.fleet.computers.view(old.id).status).toBe('running'));
  const machine = engine.machines.get(young.id);
  if (machine) engine.machines.set('cmp_crashed', machine);
  test = await test.restart();
  await vi.waitFor(() => expect(engine.machines.has('cmp_crashed')).toBe(false));
  expect([...engine.machines.keys()].sort()).toEqual([old.id, young.id].sort());
  await test.close();
});
