import type { FastifyInstance } from 'fastify';
import { operations } from '../contract/operations.js';
import type { Health } from '../contract/resources.js';
import type { Fleet } from '../fleet/fleet.js';

/** An engine is asked at most this often, however many ask for health. */
const FRESH_MS = 2_000;

/** `GET /health`, open to all: it tells that the service is up and which engines it can use. */
export function addHealth(app: FastifyInstance, fleet: Fleet, version: string): void {
  let probes: ReturnType<Fleet['probes']> | undefined;
  let askedAt = 0;
  app.get(
    '/health',
    {
      schema: {
        operationId: 'health',
        summary: operations.health.summary,
        response: { 200: operations.health.response },
      },
    },
    async (): Promise<Health> => {
      if (probes === undefined || Date.now() - askedAt > FRESH_MS) {
        probes = fleet.probes();
        askedAt = Date.now();
      }
      const engines = await probes;
      const status = engines.some((engine) => engine.usable) ? 'ok' : 'degraded';
      return { status, version, engines };
    },
  );
}
