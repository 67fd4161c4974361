import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import {
  openServiceOnThree,
  type ServiceOnThree,
} from '../../../support/incus/service-on-three.js';
import { MEMBERS } from '../../../support/incus/three-members.js';

let world: ServiceOnThree;
const env: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  world = await openServiceOnThree(env);
});
afterAll(() => world.close());

it('a service restored on another host has the computers of every member, old and new', async () => {
  const { service, files } = world;
  const old = await Promise.all(MEMBERS.map((member) => world.create(`old-${member}`, member)));
  const backup = join(files, 'vc.backup');
  expect((await service.cli(['backup', backup])).stderr).toContain('3 computers');
  const made = await Promise.all(MEMBERS.map((member) => world.create(`new-${member}`, member)));
  const ids = [...old, ...made];
  for (const id of ids) await world.bash(id, 'touch /tmp/in-memory');
  const before = await Promise.all(ids.map(world.computer));

  await service.kill('SIGKILL');
  rmSync(join(service.directory, 'state'), { recursive: true });
  env.VC_STATE_DIR = join(files, 'elsewhere');
  const restored = await service.cli(['restore', backup], { env });
  expect(restored.code, restored.stderr).toBe(0);
  await service.start();

  await eventually(async () => {
    const { computers } = (await service.http('GET', '/computers')).json;
    return computers.filter(({ status }: { status: string }) => status === 'running').length === 6;
  }, 60_000);
  for (const [index, id] of ids.entries()) {
    const { started_at: _, ...same } = before[index];
    expect(await world.computer(id)).toMatchObject(same);
    const name = same.name;
    expect(await world.bash(id, 'cat ~/file; ls /tmp/in-memory')).toBe(`${name}\n/tmp/in-memory\n`);
  }
}, 900_000);
