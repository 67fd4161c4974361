import { expect, test } from 'vitest';
import type { Engine } from '../../../src/engines/engine.js';
import { forkRemedy } from '../../../src/fleet/errors/fork-remedy.js';

/** The part of an engine that the remedy reads. */
function engineWith(name: string, { usable = true, images = [] as string[], copies = false }) {
  const engine = {
    name,
    probe: async () => ({ usable }),
    images: async () => images.map((image) => ({ name: image })),
    ...(copies ? { fork: async () => {} } : {}),
  };
  return engine as unknown as Engine;
}

const source = { project_name: 'my shop', os: 'linux' } as const;
const docker = engineWith('docker', {});
const commands = async (...offered: Engine[]) =>
  (await forkRemedy(offered, source))?.replace(/^.*: (?=vc )/, '').split(' && ');

const SETUP = 'vc setup --engine qemu';
const BUILD = 'vc image build linux --engine qemu --if-missing';
const CREATE = "vc create 'my shop'/NAME --engine qemu";

test('a service that offers an engine which copies needs a computer there', async () => {
  const qemu = engineWith('qemu', { copies: true, images: ['linux'] });
  expect(await commands(docker, qemu)).toEqual([CREATE]);
});

test('the remedy begins with what the engine lacks, or the next command would be refused', async () => {
  const empty = engineWith('qemu', { copies: true, images: ['other'] });
  expect(await commands(docker, empty)).toEqual([BUILD, CREATE]);
  const away = engineWith('qemu', { copies: true, usable: false });
  expect(await commands(docker, away)).toEqual([SETUP, BUILD, CREATE]);
});

test('a service of one engine has to be started with both', async () => {
  expect(await commands(docker)).toEqual([
    SETUP,
    BUILD,
    'vc service stop',
    'vc serve --detach --engine auto',
    CREATE,
  ]);
});

test('Windows programs need their own image', async () => {
  const qemu = engineWith('qemu', { copies: true, images: ['linux'] });
  expect(await forkRemedy([qemu], { ...source, os: 'windows' })).toMatch(
    /vc image build windows .*NAME --engine qemu --os windows$/,
  );
});
