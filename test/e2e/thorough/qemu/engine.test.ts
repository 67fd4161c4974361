import { access, chmod, readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { QemuEngine } from '../../../../src/engines/qemu/engine.js';
import {
  closeQemuDirectory,
  findVmImage,
  openQemuDirectory,
  openQemuEngine,
  pidOf,
  ready,
  run,
  screenOf,
  shellOf,
  spec,
} from '../../../support/qemu/engine.js';
import { describeUnless } from '../../../support/run/needs.js';

const image = await findVmImage();

const LONG_MS = 600_000;
let directory: string;
let engine: QemuEngine;

describeUnless(image === undefined ? 'no VM image is built' : undefined)('the QEMU engine', () => {
  beforeAll(async () => {
    directory = await openQemuDirectory(image ?? '');
    engine = openQemuEngine(directory);
  });
  afterAll(async () => {
    await engine?.close();
    await closeQemuDirectory(directory);
  });

  const status = async (id: string) => (await engine.list()).find((state) => state.id === id);

  it(
    'boots a desktop, keeps its disk, reports exits, and keeps machines when the service ends',
    async () => {
      await engine.create(spec('first'));
      await engine.create(spec('first'));
      expect(await status('first')).toEqual({ id: 'first', status: 'stopped' });
      await engine.start('first');
      let shell = await shellOf(engine, 'first');
      await ready(shell);
      const screen = await screenOf(engine, 'first');
      expect(screen.size).toEqual({ width: 1024, height: 768 });
      await screen.click({ x: 500, y: 400, button: 'left', clicks: 1, keys: [] });
      const options = { format: 'png', quality: 80, scale: 1, cursor: false } as const;
      expect((await screen.screenshot(options)).data.length).toBeGreaterThan(5_000);
      screen.close();
      expect(await run(shell, 'hostname')).toBe('vc-first');

      // A new service finds the machine running, and can open its streams.
      await run(shell, 'echo kept >~/file; (sleep 4321 >/dev/null 2>&1 &)');
      const pid = await pidOf(directory, 'first');
      shell.close();
      await engine.close();
      engine = openQemuEngine(directory);
      expect(await engine.list()).toEqual([{ id: 'first', status: 'running' }]);
      await engine.start('first');
      shell = await shellOf(engine, 'first');
      expect(await run(shell, 'pgrep -f "^sleep 4321"')).toMatch(/^\d+$/);
      expect(await pidOf(directory, 'first')).toBe(pid);

      await engine.stop('first', 5_000);
      await engine.stop('first', 5_000);
      expect(await status('first')).toEqual({ id: 'first', status: 'stopped' });
      await expect(access(`/proc/${pid}`)).rejects.toThrow();
      await expect(engine.dial('first', 'shell')).rejects.toMatchObject({ code: 'not_running' });
      await engine.start('first');
      shell = await shellOf(engine, 'first');
      expect(await run(shell, 'cat ~/file; pgrep -f "^sleep 4321" || true')).toBe('kept');

      // A killed machine is reported at once, with the reason.
      const watching = new AbortController();
      const events = engine.watch(watching.signal)[Symbol.asyncIterator]();
      const event = events.next();
      process.kill(await pidOf(directory, 'first'), 'SIGKILL');
      expect((await event).value).toMatchObject({ id: 'first', status: 'error' });
      watching.abort();
      await events.next();
      expect((await status('first'))?.reason).toContain('SIGKILL');

      // A guest that powers off has stopped.
      await engine.start('first');
      shell = await shellOf(engine, 'first');
      await run(shell, 'cat ~/file');
      await run(shell, '(sudo -n poweroff >/dev/null 2>&1 &)').catch(() => undefined);
      await expect
        .poll(() => status('first'), { timeout: 30_000 })
        .toEqual({ id: 'first', status: 'stopped' });

      await engine.remove('first');
      await engine.remove('first');
      expect(await readdir(join(directory, 'machines'))).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'creates independent machines from one template, and copies of a running machine',
    async () => {
      const { cpu, ram, resolution } = spec('');
      const shape = { image: 'linux', cpu, ram, resolution };
      const [key, same] = await Promise.all([
        engine.warm(shape, { owner: 'owner_one' }),
        engine.warm(shape),
      ]);
      expect(same).toBe(key);
      expect(await engine.templates()).toMatchObject([{ key, image: 'linux', stale: false }]);

      const identity = [
        'hostname',
        'cat /etc/machine-id',
        'cat /sys/class/net/eth0/address',
        'sudo -n sha256sum /var/lib/vc/ssh_host_ed25519_key',
        'head -c 16 /dev/urandom | od -An -tx1',
      ];
      const seen: string[][] = [];
      for (const id of ['one', 'two']) {
        await engine.create(spec(id));
        await engine.start(id);
        const shell = await shellOf(engine, id);
        seen.push(await Promise.all(identity.map((command) => run(shell, command))));
        const booted = (await readFile(`/proc/${await pidOf(directory, id)}/cmdline`)).toString();
        expect(booted).toContain('share=off');
        shell.close();
      }
      const [one = [], two = []] = seen;
      expect(one[0]).toBe('vc-one');
      for (const [index, value] of one.entries()) expect(value).not.toBe(two[index]);

      // Machines do not need the template that they were created from.
      await engine.removeTemplate(key);
      expect(await engine.templates()).toEqual([]);
      await engine.stop('two', 5_000);
      await engine.start('two');
      await engine.remove('two');

      const source = await shellOf(engine, 'one');
      await run(source, 'echo before >~/both; sync');
      const counter = 'n=0; while :; do n=$((n+1)); echo $n >/tmp/counter; sleep 0.1; done';
      await run(source, `(setsid sh -c '${counter}' >/dev/null 2>&1 &)`);
      const count = async (of: typeof source) => Number(await run(of, 'cat /tmp/counter'));
      await expect.poll(() => count(source), { timeout: 60_000 }).toBeGreaterThan(3);
      const before = await count(source);
      await engine.fork('one', spec('copy'));
      await engine.fork('one', spec('copy'));
      const copy = await shellOf(engine, 'copy');
      for (const of of [source, copy]) {
        const now = await count(of);
        expect(now).toBeGreaterThanOrEqual(before);
        await expect.poll(() => count(of), { timeout: 60_000 }).toBeGreaterThan(now);
      }
      await run(source, 'echo >~/only-source');
      await run(copy, 'echo >~/only-copy');
      expect(await run(source, 'cat ~/both; cd; ls only-*')).toBe('before\nonly-source');
      expect(await run(copy, 'cat ~/both; cd; ls only-*')).toBe('before\nonly-copy');
      expect(await run(copy, 'hostname')).toBe('vc-copy');
      const files = await readdir(join(directory, 'machines', 'one'));
      expect(files).not.toContain('migration.sock');
      expect(await readdir(join(directory, 'machines', 'copy'))).not.toContain('state');

      // Without its source, the copy works and can be copied.
      await engine.remove('one');
      await run(copy, 'cat ~/both && sync');
      await engine.stop('copy', 5_000);
      await engine.fork('copy', spec('third'));
      expect(await status('third')).toEqual({ id: 'third', status: 'stopped' });
      await engine.remove('copy');
      await engine.start('third');
      const third = await shellOf(engine, 'third');
      expect(await run(third, 'cat ~/both; cd; ls only-*; hostname')).toBe(
        'before\nonly-copy\nvc-third',
      );
      await engine.remove('third');
      expect(await readdir(join(directory, 'machines'))).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'reads the memory from the saved state after two templates with mapped memory failed',
    async () => {
      const { cpu, ram, resolution } = spec('');
      const warm = () => engine.warm({ image: 'linux', cpu, ram, resolution });
      const template = (key: string) => join(directory, 'templates', key);
      for (const { key } of await engine.templates()) await engine.removeTemplate(key);
      for (const name of ['useless', 'useless_too']) {
        const state = join(template(await warm()), 'state');
        await chmod(state, 0o600);
        await truncate(state, 1_000);
        // The machine would boot instead; the test does not wait for that.
        const giveUp = new AbortController();
        await engine.create(spec(name));
        const starting = engine.start(name, giveUp.signal).catch(() => undefined);
        await expect.poll(() => engine.templates(), { timeout: 60_000 }).toEqual([]);
        giveUp.abort();
        await starting;
        await engine.remove(name);
      }
      const key = await warm();
      const files = await readdir(template(key));
      expect(files.filter((name) => name.startsWith('memory'))).toEqual([]);
      await engine.create(spec('read'));
      await engine.start('read');
      const shell = await shellOf(engine, 'read');
      await ready(shell);
      expect(await run(shell, 'hostname')).toBe('vc-read');
      const started = (
        await readFile(`/proc/${await pidOf(directory, 'read')}/cmdline`)
      ).toString();
      expect(started).toContain('-incoming');
      expect(started).toContain('memory-backend-ram');
      shell.close();
      await engine.remove('read');
      await engine.removeTemplate(key);
    },
    LONG_MS,
  );

  it('reports a missing image', async () => {
    await expect(engine.create(spec('none', { image: 'nothing' }))).rejects.toMatchObject({
      code: 'image_missing',
    });
    await expect(engine.start('none')).rejects.toMatchObject({ code: 'not_found' });
    await engine.remove('none');
  });
});
