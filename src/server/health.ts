import type { FastifyInstance } from 'fastify';
import type { Health } from '../contract/resources.js';
import type { Fleet } from '../fleet/fleet.js';
import { hidePaths } from '../lib/text/hide-paths.js';
import { mayAdminister } from './access/authorization.js';
import { ownerIfIdentified } from './access/session-cookie.js';

/**
 * `GET /health`: the state of the service, its engines and its store. Without a key only what can be
 * used: the version and the details, which have versions, paths and free space, are empty. Only an
 * administrator's key with all rights shows the host's paths.
 */
export function addHealth(app: FastifyInstance, fleet: Fleet, version: string): void {
  app.get('/health', async (request): Promise<Health> => {
    const engines = await fleet.probes();
    const store = fleet.storeState();
    const isWell = store.usable && engines.some((engine) => engine.usable);
    const status = isWell ? 'ok' : 'degraded';
    const owner = ownerIfIdentified(fleet, request);
    if (owner !== undefined && mayAdminister(fleet, owner)) {
      return { status, version, engines, store };
    }
    const shown = (detail: string) => (owner === undefined ? '' : hidePaths(detail));
    return {
      status,
      version: owner === undefined ? '' : version,
      engines: engines.map(({ name, usable, detail }) => ({ name, usable, detail: shown(detail) })),
      store: { usable: store.usable, detail: shown(store.detail) },
    };
  });
}
