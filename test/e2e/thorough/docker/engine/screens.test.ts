import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { LABEL, machineName } from '../../../../../src/engines/containers/ids.js';
import { Containers } from '../../../../../src/engines/containers/machine/containers.js';
import { SocketDirectories } from '../../../../../src/engines/containers/machine/directory.js';
import { MachineSockets } from '../../../../../src/engines/containers/screen/machine-sockets.js';
import { Screens } from '../../../../../src/engines/containers/screen/screens.js';
import { connectDocker } from '../../../../../src/engines/docker/client.js';
import { type Desktop, openDesktop } from '../../../../support/service/desktop.js';

const docker = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });

let desktop: Desktop;
let containers: Containers;
beforeAll(async () => {
  desktop = await openDesktop();
  const { Config } = await docker.getContainer(machineName(desktop.id)).inspect();
  containers = new Containers(docker, Config.Labels[LABEL.service] ?? '');
});
afterAll(() => desktop?.close());

function screensOf(directories: SocketDirectories | undefined): Screens {
  const sockets = new MachineSockets({ docker, containers, directories });
  return new Screens({ docker, containers, sockets });
}

async function greeting(screen: Duplex): Promise<string> {
  for await (const chunk of screen) {
    screen.destroy();
    return String(chunk);
  }
  return '';
}

it.each([
  ['on another host', undefined],
  ['whose state was restored to another directory', '/nonexistent/machines'],
])('a screen is reachable from a service %s', async (_, parent) => {
  const directories = parent === undefined ? undefined : new SocketDirectories(parent);
  const screens = screensOf(directories);
  for (const attempt of ['first', 'again']) {
    expect(await greeting(await screens.dial(desktop.id)), attempt).toBe('RFB 003.008\n');
  }
});

it('a screen is reachable after the container was restarted outside the service', async () => {
  const screens = screensOf(new SocketDirectories('/none'));
  (await screens.dial(desktop.id)).destroy();
  await docker.getContainer(machineName(desktop.id)).restart({ t: 1 });
  expect(await greeting(await screens.dial(desktop.id))).toBe('RFB 003.008\n');
});

it('a stopped computer has no screen', async () => {
  const screens = screensOf(new SocketDirectories('/none'));
  (await screens.dial(desktop.id)).destroy();
  await docker.getContainer(machineName(desktop.id)).stop({ t: 1 });
  await expect(screens.dial(desktop.id)).rejects.toMatchObject({ code: 'not_running' });
});
