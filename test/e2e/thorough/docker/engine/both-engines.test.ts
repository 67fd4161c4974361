import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../../support/eventually.js';
import { prepareQemuSeed } from '../../../../support/qemu/seed.js';

import {
  type Json,
  openTestService,
  type TestService,
} from '../../../../support/service/service.js';

let service: TestService;
beforeAll(async () => {
  const seed = await prepareQemuSeed((line) => process.stderr.write(`${line}\n`));
  service = await openTestService(['--engine', 'auto'], { qemuSeed: seed });
  await service.vc.projects.create('both');
});
afterAll(() => service.close());

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const create = async (body: object): Promise<Json> => {
  const { status, json } = await http('POST', '/projects/both/computers', body);
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
};

it('runs containers and virtual machines side by side, and finds both after a crash', async () => {
  const [container, machine] = [
    await create({ name: 'container' }),
    await create({ name: 'machine', engine: 'qemu' }),
  ];
  expect(container).toMatchObject({ engine: 'docker', isolation: 'container' });
  expect(machine.engine).toBe('qemu');
  expect(machine.isolation).toMatch(/^(vm|emulated)$/);
  const { json: health } = await http('GET', '/health');
  expect(health.engines).toMatchObject([
    { name: 'docker', usable: true },
    { name: 'podman' },
    { name: 'qemu', usable: true },
  ]);
  const kernel = async (id: string) =>
    (await http('POST', `/computers/${id}/bash`, { command: 'uname -r; hostname' })).json.stdout;
  expect(await kernel(container.id)).not.toBe(await kernel(machine.id));

  await service.kill('SIGKILL');
  await service.start();
  for (const { id } of [container, machine]) {
    expect((await http('GET', `/computers/${id}/screenshot`)).json.success).toBe(true);
  }
  for (const { id } of [container, machine]) {
    expect((await http('DELETE', `/computers/${id}`)).json).toEqual({ success: true });
  }
  await eventually(async () => (await http('GET', '/projects/both')).json.computer_count === 0);
});

it('answers 400 for an unknown engine', async () => {
  const input = { name: 'x', engine: 'incus' };
  const { status, json, remedy } = await http('POST', '/projects/both/computers', input);
  expect(status).toBe(400);
  expect(`${json.error} ${remedy}`).toContain('docker, podman, qemu');
});
