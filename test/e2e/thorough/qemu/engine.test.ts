import { chmod, readdir, readFile, truncate } from 'node:fs/promises';
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
