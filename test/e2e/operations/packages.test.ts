// @module-tag thorough
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openUplink } from '../../support/run/uplink.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

let uplink: Awaited<ReturnType<typeof openUplink>>;
let desktop: Desktop;
beforeAll(async () => {
  uplink = await openUplink();
  desktop = await openDesktop();
});
afterAll(async () => {
  await desktop?.close();
  await uplink?.close();
});

it('installs a package of Debian with sudo', async () => {
  const command =
    'sudo apt-get update && sudo apt-get install -y cowsay && /usr/games/cowsay hello';
  const { http } = desktop.service;
  const { json } = await http('POST', `/computers/${desktop.id}/bash`, { command, timeout: 280 });
  expect(json.stderr).not.toMatch(/^E: /m);
  expect(json).toMatchObject({ exit_code: 0, stdout: expect.stringContaining('< hello >') });
}, 300_000);
