import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect } from 'vitest';
import { promise } from '../../../support/run/promise.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';
import { rested, vitals, watchMemory } from '../../../support/service/vitals.js';

const PARALLEL = 1000;
/** Concurrent requests that one owner may have. */
const LIMIT = 256;

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop.close());

/** Sends concurrent requests, each on its own connection; returns the number of each status. */
async function burst(count: number): Promise<Map<number, number>> {
  const { service, id } = desktop;
  const dispatcher = new Agent({ connections: count, pipelining: 1 });
  const C = `/computers/${id}`;
  type Kind = readonly [method: 'GET' | 'POST', path: string, body?: object];
  // No commands: the processes that a computer starts in 10 s depend on the host's speed.
  const kinds: readonly Kind[] = [
    ['GET', C],
    ['POST', `${C}/click`, { x: 640, y: 400 }],
    ['GET', `${C}/screenshot`],
    ['GET', '/projects/e2e'],
    ['POST', `${C}/type`, { text: 'x' }],
    ['POST', '/projects/e2e/computers', { name: 'desktop' }],
  ];
  const statuses = new Map<number, number>();
  const refusals = new Set<string>();
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const [method, path, body] = kinds[i % kinds.length] ?? ['GET', C];
      const { statusCode, body: answer } = await request(service.baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        dispatcher,
      });
      const text = await answer.text();
      // The name is taken, so 400 is the expected answer.
      const status = path.endsWith('/computers') && statusCode === 400 ? 200 : statusCode;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 200) refusals.add(`${status} ${method} ${path}: ${text.slice(0, 200)}`);
    }),
  );
  await dispatcher.close();
  if (refusals.size > 0) console.log([...refusals].join('\n'));
  return statuses;
}

/** Polls the health; `stop` returns the number of requests and the slowest in milliseconds. */
function watchHealth() {
  let stopped = false;
  let count = 0;
  let slowest = 0;
  const watching = (async () => {
    while (!stopped || count === 0) {
      const startedAt = performance.now();
      const { status } = await desktop.service.http('GET', '/health');
      expect(status).toBe(200);
      slowest = Math.max(slowest, Math.round(performance.now() - startedAt));
      count += 1;
    }
  })();
  watching.catch(() => undefined);
  return {
    stop: async () => {
      stopped = true;
      await watching;
      return { count, slowest };
    },
  };
}

promise(
  21,
  'a thousand concurrent requests are answered or refused, and leave nothing behind',
  async (report) => {
    const { pid } = desktop.service;
    // Warm-up: resources of the first use remain.
    await burst(PARALLEL / 10);
    const before = await rested(pid, vitals(pid).descriptors);
    const memory = watchMemory(pid);
    const health = watchHealth();
    const statuses = await burst(PARALLEL);
    const { count, slowest } = await health.stop();
    const peak = memory.stop();
    expect([...statuses.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    const after = await rested(pid, before.descriptors + 5);
    expect((await desktop.service.http('GET', `/computers/${desktop.id}/screenshot`)).status).toBe(
      200,
    );
    const counts = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
    report(
      `${counts}; health ${count} times, slowest ${slowest} ms; ${before.mib}, ${peak}, ${after.mib} MiB`,
    );
  },
  240_000,
);

/** Sends concurrent requests that take `duration` seconds; returns the number of each status. */
async function longRequests(count: number, duration: number): Promise<Record<string, number>> {
  const { baseUrl, apiKey } = desktop.service;
  const dispatcher = new Agent({ connections: count, pipelining: 1 });
  const statuses: Record<string, number> = {};
  await Promise.all(
    Array.from({ length: count }, async () => {
      const { statusCode, body } = await request(`${baseUrl}/computers/${desktop.id}/wait`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ duration }),
        dispatcher,
      });
      await body.dump();
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    }),
  );
  await dispatcher.close();
  return statuses;
}

promise(
  21,
  'of a thousand long requests, those beyond the limit are refused',
  async (report) => {
    const { pid } = desktop.service;
    const before = await rested(pid, vitals(pid).descriptors);
    const health = watchHealth();
    // They last until all have come.
    const statuses = await longRequests(PARALLEL, 25);
    const { count, slowest } = await health.stop();
    expect(statuses).toEqual({ 200: LIMIT, 429: PARALLEL - LIMIT });
    await rested(pid, before.descriptors + 5);
    expect((await desktop.service.http('GET', `/computers/${desktop.id}/screenshot`)).status).toBe(
      200,
    );
    report(
      `of ${PARALLEL} that last ${PARALLEL - LIMIT} × 429; health ${count} times, slowest ${slowest} ms`,
    );
  },
  240_000,
);
