import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { promise } from '../../support/run/promise.js';
import { openTestService, type TestService } from '../../support/service/service.js';

const DESCRIPTORS = 300;
const HALF_OPEN = 290;
const notLinux = process.platform === 'linux' ? undefined : 'limits descriptors as on Linux';

let service: TestService;
const sockets: Socket[] = [];
beforeAll(async () => {
  if (notLinux === undefined) service = await openTestService([], { descriptors: DESCRIPTORS });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await service?.close();
});

/** Connects and sends the first half of a request. */
async function openHalf(): Promise<void> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`GET /api/health HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Slow: `);
}

promise.unless(notLinux)(
  29,
  'half-open connections of a service with few descriptors delay no other client',
  async (report) => {
    const limits = readFileSync(`/proc/${service.pid}/limits`, 'utf8');
    expect(limits).toMatch(new RegExp(`^Max open files\\s+${DESCRIPTORS}\\s`, 'm'));
    let slowest = 0;
    const answers = async (path: string) => {
      const began = performance.now();
      expect((await service.http('GET', path)).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - began);
    };
    for (let count = 1; count <= 2 * HALF_OPEN; count++) {
      await openHalf();
      if (count % 29 !== 0) continue;
      await answers('/health');
      await answers('/projects');
    }
    const open = readdirSync(`/proc/${service.pid}/fd`).length;
    expect(open).toBeLessThan(DESCRIPTORS);
    report(
      `${2 * HALF_OPEN} half-open, ${open} of ${DESCRIPTORS} descriptors used; ` +
        `health answers within ${Math.round(slowest)} ms`,
    );
  },
);
