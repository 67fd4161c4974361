import type { FastifyInstance } from 'fastify';
import { operations } from '../contract/operations.js';
import type { Health } from '../contract/resources.js';
import type { Fleet } from '../fleet/fleet.js';

/** `GET /health`, open to all: it tells that the service is up and what of it can be used. */
export function addHealth(app: FastifyInstance, fleet: Fleet, version: string): void {
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
      const engines = await fleet.probes();
      const store = fleet.storeState();
      const isWell = store.usable && engines.some((engine) => engine.usable);
      return { status: isWell ? 'ok' : 'degraded', version, engines, store };
    },
  );
}
