import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CreateComputer } from '../../../src/contract/resources.js';
import { StartStream } from '../../../src/contract/streams.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { ScreenSource } from '../../../src/fleet/sessions/screen-source.js';
import { SharedConnection } from '../../../src/fleet/sessions/shared-connection.js';
import type { Screen } from '../../../src/screen/types.js';
import { FakeScreen } from '../../support/fake-connectors.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

const SECRET = 'stream-key-1';
let test: TestFleet;
let owner: Owner;

beforeEach(async () => {
  test = await openTestFleet();
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
});
afterEach(() => test.close());

const add = (name: string, url = 'rtmp://live.example.com/app') =>
  test.fleet.streamTargets.create(owner, { name, url, stream_key: SECRET });

describe('connections', () => {
  it('survive a restart, with encrypted keys', async () => {
    await add('show');
    test = await test.restart();
    expect(test.fleet.streamTargets.list(owner)).toMatchObject([
      { name: 'show', url: 'rtmp://live.example.com/app', has_stream_key: true },
    ]);
    expect(test.fleet.streamTargets.target(owner, 'show').stream).toBe(SECRET);
    expect(JSON.stringify(test.fleet.streamTargets.list(owner))).not.toContain(SECRET);
    for (const file of ['vc.db', 'vc.db-wal']) {
      const path = join(test.directory, file);
      expect(readFileSync(path).includes(SECRET), file).toBe(false);
    }
    expect(statSync(join(test.directory, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it('have unique names per owner', async () => {
    await add('show');
    await expect(add('show')).rejects.toMatchObject({ code: 'name_taken' });
    const other = { id: 'usr_other', keyId: 'key_other' };
    expect(test.fleet.streamTargets.list(other)).toEqual([]);
    expect(() => test.fleet.streamTargets.target(other, 'show')).toThrow(
      expect.objectContaining({ code: 'not_found' }),
    );
    expect(() => test.fleet.streamTargets.remove(other, 'show')).toThrow();
    test.fleet.streamTargets.remove(owner, 'show');
    expect(test.fleet.streamTargets.list(owner)).toEqual([]);
  });

  it('show neither the stream name nor the query, since either can be the key', async () => {
    const create = (name: string, url: string, stream_key?: string) =>
      test.fleet.streamTargets.create(owner, { name, url, ...(stream_key ? { stream_key } : {}) });
    const url = 'rtmp://live.example.com:1936/app/deep/';
    expect(await create('a', `${url}${SECRET}`)).toMatchObject({
      url: 'rtmp://live.example.com:1936/app/deep',
      has_stream_key: true,
    });
    await create('b', `${url}name?token=${SECRET}`);
    await create('c', `${url}?token=${SECRET}`, 'other');
    const listed = test.fleet.streamTargets.list(owner);
    expect(new Set(listed.map((connection) => connection.url))).toEqual(
      new Set(['rtmp://live.example.com:1936/app/deep']),
    );
    expect(JSON.stringify(listed)).not.toContain(SECRET);
    expect(test.fleet.streamTargets.target(owner, 'a').stream).toBe(SECRET);
    expect(test.fleet.streamTargets.target(owner, 'b').stream).toBe(`name?token=${SECRET}`);
  });

  it('are refused for addresses that streams cannot use', async () => {
    await expect(add('x', 'http://example.com/app')).rejects.toThrow('rtmp or rtmps');
    await expect(add('x', 'rtmp://192.168.1.1/app')).rejects.toThrow('--allow-private-targets');
  });

  it('are limited in number', async () => {
    for (let i = 0; i < 100; i++) await add(`c${i}`);
    await expect(add('one-more')).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it('report that the key they were encrypted with is gone', async () => {
    await add('show');
    rmSync(join(test.directory, 'secret.key'));
    test = await test.restart();
    expect(() => test.fleet.streamTargets.target(owner, 'show')).toThrow(
      expect.objectContaining({
        code: 'conflict',
        remedy: expect.stringContaining('vc connection rm show'),
      }),
    );
    expect(test.fleet.streamTargets.list(owner)).toHaveLength(1);
    test.fleet.streamTargets.remove(owner, 'show');
  });
});

describe('streams', () => {
  it('need a running computer and an existing connection', async () => {
    const project = test.fleet.projects.create(owner, 'demo');
    const found = test.fleet.projects.find(owner, project.name);
    const input = CreateComputer.parse({ name: 'desk' });
    const { id } = await test.fleet.computers.create(owner, found, input, 'ready');
    const record = test.fleet.computers.find(owner, { id });
    const start = (connection_name: string) =>
      test.fleet.streams.start(owner, record, StartStream.parse({ connection_name }));
    await expect(start('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await add('show');
    await test.fleet.computers.stop(record);
    await expect(start('show')).rejects.toMatchObject({ code: 'not_running' });
    expect(test.fleet.streams.status(record)).toEqual({ status: 'idle' });
  });
});

describe('the video frames of a screen', () => {
  it('survive a lost connection, and keep the computer in use', async () => {
    const screens: FakeScreen[] = [];
    const link = new SharedConnection<Screen>(async () => {
      const screen = new FakeScreen();
      screens.push(screen);
      return screen;
    }, 60_000);
    const source = await ScreenSource.open(link, 30, () => undefined);
    const first = source.frame;
    expect(link.inUse).toBe(true);
    screens[0]?.close();
    screens[0]?.emit('close');
    await expect.poll(() => screens.length).toBe(2);
    await expect.poll(() => source.frame).not.toBe(first);
    expect(link.inUse).toBe(true);
    source.close();
    await expect.poll(() => link.inUse).toBe(false);
    link.close();
    expect(screens).toHaveLength(2);
  });
});
