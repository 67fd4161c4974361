import websocket from '@fastify/websocket';
import Fastify, { type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import type { Fleet } from '../fleet/fleet.js';
import { generateId } from '../fleet/ids.js';
import { admitRequests } from './admission.js';
import { authenticate } from './authentication.js';
import { askForBodies, readBodies } from './bodies.js';
import { refuseGarbage, sendError } from './errors.js';
import { addFileRoutes } from './file-routes.js';
import { addHealth } from './health.js';
import { endRequestWithKey } from './key-end.js';
import { BODY_LIMIT } from './limits.js';
import { logRequests } from './log.js';
import type { Metrics } from './metrics.js';
import { addOpenApi } from './openapi.js';
import { checkOrigin, type Reachable } from './origin.js';
import { addProcessSocket } from './process-socket.js';
import { addRoutes, refuseUnknown } from './routes.js';
import { dropSlowClients } from './slow-clients.js';
import { addTunnelSocket } from './tunnel-socket.js';
import { addViewPages } from './view/pages.js';
import { addViewSocket } from './view/socket.js';

export const PREFIX = '/api';

const OPEN_PATHS = [`${PREFIX}/health`, `${PREFIX}/openapi.json`];

export interface AppOptions {
  readonly fleet: Fleet;
  readonly reachable: Reachable;
  readonly version: string;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

/** What answers without a key: the descriptions and the live view's page, to those who read. */
function isOpen({ method, url, routeOptions }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return routeOptions.config.open === true || OPEN_PATHS.includes(url.split('?')[0] ?? '');
}

/** The HTTP service, not yet listening. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { fleet, reachable, version, log } = options;
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'id' }),
    genReqId: () => generateId('srv').replace('srv', 'req'),
    bodyLimit: BODY_LIMIT,
    // Files take as long as they take; dropSlowClients() looks after every other body.
    requestTimeout: 0,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: (error, request, reply) => {
      try {
        checkOrigin(request.raw, reachable);
        authenticate(fleet.access, request);
      } catch (refusal) {
        return sendError(refusal as Error, request, reply);
      }
      return sendError(error, request, reply);
    },
    clientErrorHandler: refuseGarbage,
    http: { requireHostHeader: false, connectionsCheckingInterval: 5_000, headersTimeout: 15_000 },
  }) as unknown as FastifyInstance;
  app.decorateRequest('owner', null);
  app.decorateRequest('departureEnded', null);
  app.setValidatorCompiler(() => (value) => ({ value }));
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  readBodies(app);
  askForBodies(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    checkOrigin(request.raw, reachable);
    if (isOpen(request)) return;
    const owner = authenticate(fleet.access, request);
    request.owner = owner;
    if (!request.ws) endRequestWithKey(request, reply, fleet.access, owner);
  });
  app.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request) => refuseUnknown(request, PREFIX));
  await app.register(websocket, { options: { maxPayload: 8 * 1024 * 1024 } });
  admitRequests(app);
  dropSlowClients(app);
  logRequests(app);
  options.metrics?.serve(app);
  await app.register(
    async (api) => {
      await addOpenApi(api, version);
      addHealth(api, fleet, version);
      addRoutes(api, fleet);
      await addFileRoutes(api, fleet);
      addProcessSocket(api, fleet);
      addTunnelSocket(api, fleet);
      addViewPages(api);
      addViewSocket(api, fleet);
    },
    { prefix: PREFIX },
  );
  return app;
}
