import type { Shell } from '../../src/shell/types.js';
import { openGuest } from '../shell/support/guest.js';
import { openTestApp, type TestApp } from './app.js';

/** The HTTP service with a computer `demo/desktop` whose commands run on this machine. */
export interface GuestApp extends TestApp {
  readonly baseUrl: string;
  readonly key: string;
}

export async function openGuestApp(): Promise<GuestApp> {
  const guest = await openGuest();
  const app = await openTestApp();
  // The computer may be stopped, which closes its connection, but not the test's guest.
  const shell: Shell = { ...guest.shell, open: true, close: () => undefined };
  Object.assign(app.world.connectors, { openShell: async () => shell });
  await app.send('POST', '/api/projects', { body: { name: 'demo' } });
  await app.send('POST', '/api/projects/demo/computers', { body: { name: 'desktop' } });
  return {
    ...app,
    baseUrl: `http://127.0.0.1:${app.port}/api`,
    key: app.world.key,
    close: async () => {
      await app.close();
      guest.close();
    },
  };
}
