import { chmod, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  configDirectory,
  ProfileFileError,
  ProfileStore,
  resolveSettings,
  stateDirectory,
  UnknownProfileError,
  writeDefaultProfile,
} from '../../src/profile/index.js';

let directory: string;
let store: ProfileStore;
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'vc-profile-')), 'vc');
  store = new ProfileStore(directory);
});
afterEach(() => rm(join(directory, '..'), { recursive: true }));

const home = { baseUrl: 'http://127.0.0.1:4700/api', apiKey: 'vc_home' };
const office = { baseUrl: 'https://vc.example.com/api', apiKey: 'vc_office', project: 'demo' };
const mode = async (path: string) => (await stat(path)).mode & 0o777;

test('directories: VC_ variables over XDG over the home directory', () => {
  const all = { HOME: '/home/me', XDG_CONFIG_HOME: '/xc', XDG_STATE_HOME: '/xs' };
  expect(configDirectory({ ...all, VC_CONFIG_DIR: '/c' })).toBe('/c');
  expect(configDirectory(all)).toBe('/xc/vc');
  expect(configDirectory({ HOME: '/home/me' })).toBe('/home/me/.config/vc');
  expect(stateDirectory({ ...all, VC_STATE_DIR: '/s' })).toBe('/s');
  expect(stateDirectory(all)).toBe('/xs/vc');
  expect(stateDirectory({ HOME: '/home/me' })).toBe('/home/me/.local/state/vc');
});

test('the file is 0600 in a directory 0700, even if their modes were wider before', async () => {
  await store.set('default', home);
  expect(await mode(store.path)).toBe(0o600);
  expect(await mode(directory)).toBe(0o700);
  await chmod(store.path, 0o644);
  await store.set('office', office);
  expect(await mode(store.path)).toBe(0o600);
});

test('profiles are read back; the first one is current until another is used', async () => {
  expect(await store.read()).toEqual({ current: 'default', profiles: {} });
  await store.set('home', home);
  await store.set('office', office);
  expect(await store.read()).toEqual({ current: 'home', profiles: { home, office } });
  expect(await store.use('office')).toBe(true);
  expect(await store.use('nowhere')).toBe(false);
  expect(await store.remove('office')).toBe(true);
  expect(await store.read()).toEqual({ current: 'home', profiles: { home } });
});

test('names of inherited object properties are not profiles', async () => {
  await store.set('home', home);
  expect(await store.use('constructor')).toBe(false);
  expect(await store.remove('__proto__')).toBe(false);
});

test.each(['{', '[]', '{"current":"a"}', '{"current":"a","profiles":{"a":{"baseUrl":1}}}', ''])(
  'a damaged file (%s) is reported with its path and never reset',
  async (text) => {
    await store.set('home', home);
    await writeFile(store.path, text);
    await expect(store.read()).rejects.toThrow(ProfileFileError);
    await expect(store.set('office', office)).rejects.toThrow(store.path);
    await expect(writeDefaultProfile(home, { VC_CONFIG_DIR: directory })).rejects.toThrow(
      ProfileFileError,
    );
    expect(await readFile(store.path, 'utf8')).toBe(text);
  },
);

test('precedence: flag > environment > profile > default, for each value', async () => {
  await store.set('home', home);
  await store.set('office', office);
  const env = { VC_PROFILE: 'office', VC_PROJECT: 'from-env' };
  const settings = await resolveSettings(store, env, { project: 'from-flag' });
  expect(settings).toEqual({
    profile: { value: 'office', source: 'environment', from: 'VC_PROFILE' },
    baseUrl: { value: office.baseUrl, source: 'profile', from: 'office' },
    apiKey: { value: 'vc_office', source: 'profile', from: 'office' },
    project: { value: 'from-flag', source: 'flag', from: '--project' },
  });
  const plain = await resolveSettings(store, { VC_API_KEY: '' });
  expect(plain.apiKey).toEqual({ value: 'vc_home', source: 'profile', from: 'home' });
  expect(plain.project).toBeUndefined();
  const flagged = await resolveSettings(store, env, { profile: 'home' });
  expect(flagged.baseUrl.value).toBe(home.baseUrl);
  expect(flagged.project?.value).toBe('from-env');
});

test('without any setting: the local service, no key', async () => {
  const settings = await resolveSettings(store, {});
  expect(settings.baseUrl).toEqual({
    value: 'http://127.0.0.1:4700/api',
    source: 'default',
    from: 'built in',
  });
  expect(settings.apiKey).toBeUndefined();
});

test("a profile's key is sent only to its own base URL", async () => {
  await store.set('home', home);
  const elsewhere = await resolveSettings(store, {}, { baseUrl: 'https://evil.example.com/api' });
  expect(elsewhere.apiKey).toBeUndefined();
  const same = await resolveSettings(store, { VC_BASE_URL: 'http://localhost:4700/api/' });
  expect(same.apiKey?.value).toBe('vc_home');
  const own = await resolveSettings(store, {
    VC_BASE_URL: 'https://other.example.com/api',
    VC_API_KEY: 'vc_other',
  });
  expect(own.apiKey?.value).toBe('vc_other');
});

test('a missing profile is an error that lists the known ones', async () => {
  await store.set('home', home);
  const failure = resolveSettings(store, {}, { profile: 'hoem' });
  await expect(failure).rejects.toBeInstanceOf(UnknownProfileError);
  await expect(failure).rejects.toMatchObject({ profile: 'hoem', known: ['home'] });
});

test('the first key is stored in default; a new one for the same service replaces it', async () => {
  const env = { VC_CONFIG_DIR: directory };
  const first = await writeDefaultProfile(home, env);
  expect(first).toEqual({ profile: 'default', isCurrent: true, path: store.path });
  await store.set('default', { ...home, project: 'demo' });
  await writeDefaultProfile({ ...home, apiKey: 'vc_new' }, env);
  const { profiles } = await store.read();
  expect(profiles.default).toEqual({ ...home, apiKey: 'vc_new', project: 'demo' });
});

test('a first start never changes a profile for another service', async () => {
  const env = { VC_CONFIG_DIR: directory };
  await store.set('default', office);
  const result = await writeDefaultProfile(home, env);
  expect(result).toMatchObject({ profile: 'local', isCurrent: false });
  await store.set('local', office);
  expect(await writeDefaultProfile(home, env)).toMatchObject({ profile: 'local-2' });
  expect((await store.read()).profiles).toEqual({
    default: office,
    local: office,
    'local-2': home,
  });
});

test('a profile file that is too large is not read, and not replaced', async () => {
  await store.set('default', home);
  await truncate(store.path, 100 << 20);
  const before = process.memoryUsage().rss;
  await expect(store.read()).rejects.toThrow(
    `cannot read the profile file ${store.path}: it is larger than 1 MiB`,
  );
  await expect(store.set('office', office)).rejects.toThrow(ProfileFileError);
  expect(process.memoryUsage().rss - before).toBeLessThan(50 << 20);
  expect((await stat(store.path)).size).toBe(100 << 20);
});
