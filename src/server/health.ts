import type { FastifyInstance } from 'fastify';
import type { Health } from '../contract/resources.js';
import type { Fleet } from '../fleet/fleet.js';
import { ownerIfIdentified } from './access/session-cookie.js';

/**
 * `GET /health`: the state of the service, its engines and its store. Without a key only what can be
 * used: the version and the details, which have versions, paths and free space, are empty.
 */
export function addHealth(app: FastifyInstance, fleet: Fleet, version: string): void {
  app.get('/health', async (request): Promise<Health> => {
    const engines = await fleet.probes();
    const store = fleet.storeState();
    const isWell = store.usable && engines.some((engine) => engine.usable);
    const status = isWell ? 'ok' : 'degraded';
    if (ownerIfIdentified(fleet, request) !== undefined) return { status, version, engines, store };
    return {
      ...{ status, version: '' },
      engines: engines.map(({ name, usable }) => ({ name, usable, detail: '' })),
      store: { usable: store.usable, detail: '' },
    };
  });
}
