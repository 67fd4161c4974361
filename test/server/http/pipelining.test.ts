// @module-tag slow
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(() => app.close());

it.each(['/api/me', '/api/events'])(
  'requests for %s that wait on a connection end with it',
  async (path) => {
    const { key } = app.world;
    const request = (of: string) =>
      `GET ${of} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    // More than an owner may have at once.
    for (let connection = 0; connection < 20; connection++) {
      const socket = connect(app.port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      // The others wait for the first, which does not end.
      socket.write(request('/api/events') + request(path).repeat(15));
      await once(socket, 'data');
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    expect((await app.send('GET', '/api/me')).status).toBe(200);
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${app.port}/api/events`, { headers });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  },
);
