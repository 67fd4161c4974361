// @module-tag slow
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { makeToyDisk } from '../../../support/qemu/toy-disk.js';
import { thorough } from '../../../support/run/tiers.js';
import { outOfBand } from '../../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../../support/service/service.js';

/** Heights of the first two rows of GRUB's menu, which are 16 pixels high. */
const [FIRST, SECOND] = [71, 87];

let service: TestService;
let toy: Json;
let disk: string;
beforeAll(async () => {
  service = await openTestService();
  disk = join(service.directory, 'disk.img');
  await makeToyDisk(disk);
  const words = ['image', 'import', 'toy', disk, '--os', 'windows', '--no-shell'];
  const imported = await service.cli(words);
  expect(imported.code, imported.stderr).toBe(0);
  await service.vc.projects.create('own');
  const created = await http('POST', '/projects/own/computers', { name: 'toy', image: 'toy' });
  expect(created.status, JSON.stringify(created.json)).toBe(200);
  toy = created.json;
});
afterAll(() => service.close());

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const screen = async (id: string = toy.id) => {
  const { json } = await http('GET', `/computers/${id}/screenshot`);
  return sharp(Buffer.from(json.image, 'base64')).removeAlpha().raw().toBuffer({
    resolveWithObject: true,
  });
};
/** Whether the selection bar is at this height. */
const isSelected = async (y: number, id?: string) => {
  const { data, info } = await screen(id);
  const [red = 0, green = 0] = data.subarray((y * info.width + 500) * 3);
  return info.width === 720 && red > 100 && green > 100;
};
const press = async (key: string) =>
  expect((await http('POST', `/computers/${toy.id}/key`, { key })).json).toEqual({ success: true });

describe('a computer from an imported disk', () => {
  it('shows the OS of its image and its isolation', () => {
    expect(toy).toMatchObject({ status: 'running', os: 'windows', image: 'toy', engine: 'qemu' });
    expect(['vm', 'emulated']).toContain(toy.isolation);
  });

  it('shows its screen and receives keys', async () => {
    await eventually(() => isSelected(FIRST), 60_000);
    await press('Down');
    await eventually(() => isSelected(SECOND));
    await press('Up');
    await eventually(() => isSelected(FIRST));
    await press('Down');
    await press('Enter');
    await eventually(async () => !(await isSelected(SECOND)) && !(await isSelected(FIRST)));
  });

  it('answers 400 to commands, with the reason', async () => {
    for (const [path, body] of [
      ['bash', { command: 'true' }],
      ['exec', { code: '1' }],
    ] as const) {
      const { status, json } = await http('POST', `/computers/${toy.id}/${path}`, body);
      expect(status).toBe(400);
      expect(json.error).toContain('no shell');
    }
    for (const words of [
      ['bash', 'own/toy', 'true'],
      ['exec', 'own/toy', '--', 'true'],
      ['python', 'own/toy', '-c', '1'],
    ]) {
      const { code, stderr } = await service.cli(['computer', ...words]);
      expect(code).toBe(125);
      expect(stderr).toMatch(
        /^error: This computer has no shell: [^\n]*\n {7}Use its screen, [^\n]*\n$/,
      );
    }
  });

  it('answers 400 to text that its keyboard lacks, before typing any of it', async () => {
    const path = `/computers/${toy.id}/type`;
    const { status, json } = await http('POST', path, { text: 'abc Ж' });
    expect(status).toBe(400);
    expect(json.error).toContain('keyboard');
    expect((await http('POST', path, { text: 'plain' })).json).toEqual({ success: true });
  });

  thorough('restarts, is forked and stops', async () => {
    expect((await http('POST', `/computers/${toy.id}/restart`)).json.status).toBe('running');
    await eventually(() => isSelected(FIRST), 60_000);
    await press('Down');
    await eventually(() => isSelected(SECOND));
    const { json: copy } = await http('POST', `/computers/${toy.id}/fork`, { name: 'copy' });
    expect(copy.status, JSON.stringify(copy)).toBe('running');
    await eventually(() => isSelected(SECOND, copy.id));
    await http('DELETE', `/computers/${copy.id}`);
    expect((await http('POST', `/computers/${toy.id}/stop`)).json.status).toBe('stopped');
  });
});

describe('an imported image', () => {
  thorough('is listed, and refused for another OS', async () => {
    expect((await service.cli(['image', 'ls'])).stdout).toMatch(/^toy\tqemu\twindows\tdisk\t/m);
    const again = await service.cli(['image', 'import', 'toy', disk, '--no-shell']);
    expect(again).toMatchObject({ code: 6, stdout: '' });
    const linux = { name: 'x', image: 'toy', os: 'linux' };
    expect((await http('POST', '/projects/own/computers', linux)).status).toBe(400);
  });

  thorough('is refused when it is not a complete disk, and leaves nothing', async () => {
    const [empty, layer] = ['empty.img', 'layer.qcow2'].map((name) =>
      join(service.directory, name),
    );
    writeFileSync(empty ?? '', '');
    await execa('qemu-img', ['create', '-f', 'qcow2', '-b', disk, '-F', 'raw', layer ?? '']);
    for (const [path, reason] of [
      [empty, 'not a disk image'],
      [layer, 'needs other files'],
      ['/nonexistent', 'no disk file'],
      [service.directory, 'no disk file'],
    ] as const) {
      const words = ['image', 'import', 'bad', path ?? '', '--no-shell'];
      const { code, stderr } = await service.cli(words);
      expect(code, stderr).toBe(1);
      expect(stderr).toContain(reason);
    }
    expect((await service.cli(['image', 'ls', '-q'])).stdout).not.toContain('bad');
    const left = readdirSync(join(service.directory, 'state/qemu/images'));
    expect(left.filter((name) => name.startsWith('.new-'))).toEqual([]);
  });

  it('is removed while computers made from it keep running', async () => {
    expect((await service.cli(['image', 'rm', 'toy'])).code).toBe(2);
    const removed = await service.cli(['image', 'rm', 'toy', '--yes']);
    expect(removed.code, removed.stderr).toBe(0);
    expect((await service.cli(['image', 'ls', '-q'])).stdout).not.toContain('toy');
    expect((await http('POST', `/computers/${toy.id}/restart`)).json.status).toBe('running');
    await eventually(() => isSelected(FIRST), 60_000);
    await http('DELETE', `/computers/${toy.id}`);
    const nothing = { machines: [], networks: [], directories: [] };
    expect(await outOfBand(service).leftovers()).toEqual(nothing);
  });
});
