import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GuestApp, openGuestApp } from '../../support/guest-app.js';
import { openWorld, type World } from '../support/run.js';

let app: GuestApp;
let world: World;
beforeAll(async () => {
  app = await openGuestApp();
  world = await openWorld();
});
afterAll(async () => {
  await world.close();
  await app.close();
});

it('the command in the error of the limit raises it while the service runs', async () => {
  const env = { VC_BASE_URL: app.baseUrl, VC_API_KEY: app.key };
  const run = (...argv: string[]) => world.run(argv, { env, columns: 200 });
  for (;;) {
    const created = await run('create', `demo/c${Math.random().toString(36).slice(2)}`);
    if (created.code === 0) continue;
    expect(created).toMatchObject({ code: 6, stderr: expect.stringContaining('is reached') });
    const [, command = ''] = /raise the limit: vc (.*)/.exec(created.stderr) ?? [];
    expect(await run(...command.split(' '))).toMatchObject({ code: 0 });
    break;
  }
  expect(await run('create', 'demo/more')).toMatchObject({ code: 0 });
});
