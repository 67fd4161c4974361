import websocket from '@fastify/websocket';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { Right } from '../contract/access/rights.js';
import { API_VERSION } from '../contract/constants.js';
import { ApiError } from '../contract/errors.js';
import { chooseProtocol } from '../contract/sockets/protocols.js';
import type { Identity, Owner } from '../fleet/accounts/api-keys.js';
import { generateId } from '../fleet/computers/ids.js';
import type { Fleet } from '../fleet/fleet.js';
import { hasBudget } from '../fleet/store/accounts/keys.js';
import { authorize, mayAdminister, presentRights } from './access/authorization.js';
import { checkBudget } from './access/budget.js';
import { recordRefusal } from './access/refusals.js';
import { identify } from './access/session-cookie.js';
import { addSessionRoutes, checkLogin } from './access/session-routes.js';
import { addBrowserSocket } from './browser/socket.js';
import { identityOfTicket } from './browser/ticket.js';
import { addBrowserVersion } from './browser/version.js';
import { addDashboard, isLostBrowser } from './dashboard/pages.js';
import { addFileRoutes } from './handlers/file-transfer.js';
import { addImageBuild } from './handlers/image-build.js';
import { addHealth } from './health.js';
import { authenticate } from './http/authentication.js';
import { askForBodies, BODY_LIMIT, readBodies } from './http/bodies.js';
import { refuseGarbage, sendError } from './http/errors.js';
import { Connections, limitRequests } from './http/limits.js';
import { logRequests } from './http/log.js';
import {
  allowPage,
  answerPreflight,
  checkOrigin,
  isPreflight,
  type Reachable,
} from './http/origin.js';
import { disconnectSlowClients } from './http/slow-clients.js';
import { addMcp } from './mcp/route.js';
import type { Metrics } from './metrics.js';
import { addOpenApi } from './openapi.js';
import { servePublications } from './publications/visits.js';
import { addReference } from './reference/pages.js';
import { addRoutes, isForAdministrators, nothingHere, refuseUnknown } from './routes.js';
import { addViewPages } from './viewer/pages.js';
import { addViewSocket } from './viewer/socket.js';
import { addSoundSocket } from './viewer/sound-socket.js';
import { SocketLimit, WEBSOCKET_LIMITS } from './websocket/computer-socket.js';
import { abortOnRevocation } from './websocket/key-revocation.js';
import { addProcessSocket } from './websocket/process-socket.js';
import { addTunnelSocket } from './websocket/tunnel-socket.js';
import { addWallSocket } from './websocket/wall-socket.js';

export const PREFIX = '/api';

const OPEN_PATHS = [`${PREFIX}/health`, `${PREFIX}/openapi.json`];

export interface AppOptions {
  readonly fleet: Fleet;
  readonly reachable: Reachable;
  readonly version: string;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** By default as many as the process's descriptors allow. */
  readonly maxConnections?: number;
}

/** Routes that need no key: health, OpenAPI, and the files of the web pages. */
function isOpen(request: FastifyRequest): boolean {
  const { method, url, routeOptions } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (request.is404 && isLostBrowser(request)) return true;
  return routeOptions.config.open === true || OPEN_PATHS.includes(url.split('?')[0] ?? '');
}

/**
 * Refuses upgrades of routes that are none. The plugin would accept and then close them: until the
 * client agrees to that, each takes a connection and a whole message in memory, which nobody counts.
 */
function checkSocket({ is404, routeOptions }: FastifyRequest): void {
  if (is404 || routeOptions.config.socket) return;
  throw new ApiError('invalid_request', 'This path does not accept WebSockets.', {
    remedy: 'Send the request without the header Upgrade.',
  });
}

/** Of every answer. */
function addHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-api-version', API_VERSION);
  reply.header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is a WebSocket. */
    readonly socket?: true;
  }
}

/** The HTTP service, not yet listening. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { fleet, version, log } = options;
  const reachable = { ...options.reachable, published: fleet.publications.hosts };
  const identityOf = (request: FastifyRequest): Identity => {
    if (request.headers.authorization !== undefined) return authenticate(fleet.apiKeys, request);
    const isTicket = request.routeOptions.config.ticket === true;
    return (isTicket && identityOfTicket(fleet, request)) || identify(fleet, request);
  };
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'id' }),
    childLoggerFactory: (logger) => logger,
    genReqId: () => generateId('req'),
    bodyLimit: BODY_LIMIT,
    // File transfers have no time limit; disconnectSlowClients() limits all other bodies.
    requestTimeout: 0,
    forceCloseConnections: true,
    // They are answered as usual until the port is closed.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: (error, request, reply) => {
      addHeaders(request, reply);
      try {
        checkOrigin(request.raw, reachable);
        const { owner } = identityOf(request);
        const isTooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
        const isHidden = isTooLong && isForAdministrators(request, PREFIX);
        if (isHidden && !mayAdminister(fleet, owner)) throw nothingHere();
      } catch (refusal) {
        return sendError(refusal as Error, request, reply);
      }
      return sendError(error, request, reply);
    },
    clientErrorHandler: refuseGarbage,
    http: { requireHostHeader: false, connectionsCheckingInterval: 5_000, headersTimeout: 15_000 },
  }) as unknown as FastifyInstance;
  await app.register(websocket, {
    options: { ...WEBSOCKET_LIMITS, handleProtocols: chooseProtocol },
    // Anyone can send an invalid frame; it is not logged.
    errorHandler: (_error, socket) => socket.terminate(),
  });
  let isStopping = false;
  const connections = new Connections(app.server, options.maxConnections);
  app.decorateRequest('owner', null);
  app.decorateRequest('keyChanges', 0);
  app.decorateRequest('computer', null);
  app.decorateRequest('departureEnded', null);
  app.decorateRequest('stayOnRevocation', null);
  app.decorateRequest('browserGrant', null);
  readBodies(app);
  askForBodies(app);
  const checkRights = (request: FastifyRequest, owner: Owner, rights: Right) => {
    try {
      authorize(request, owner, rights, nothingHere);
    } catch (refusal) {
      const name = request.routeOptions.config.operation;
      recordRefusal(fleet, request, { owner, name }, refusal);
      throw refusal;
    }
  };
  const begin = (request: FastifyRequest, reply: FastifyReply): 'answered' | undefined => {
    addHeaders(request, reply);
    const origin = checkOrigin(request.raw, reachable);
    if (origin !== undefined) {
      allowPage(reply, origin);
      if (isPreflight(request)) {
        answerPreflight(request, reply);
        return 'answered';
      }
    }
    // Nothing would close one that opens now.
    if (request.ws && isStopping) request.raw.socket.destroy();
    if (isOpen(request)) return undefined;
    if (request.routeOptions.config.login) {
      checkLogin(request);
      return undefined;
    }
    const identity = identityOf(request);
    const { owner, key } = identity;
    request.owner = owner;
    // The rights of a key that expires are always looked up again.
    request.keyChanges = Number.isFinite(key.expiresAt) ? -1 : fleet.apiKeys.changes;
    connections.count(request.raw.socket, owner.id);
    checkRights(request, owner, key.rights);
    if (hasBudget(key)) checkBudget(fleet, request, reply, identity);
    abortOnRevocation(request, reply, fleet.apiKeys, identity);
    return undefined;
  };
  // With a callback, here and in all other hooks: a promise per hook and request takes time.
  app.addHook('onRequest', (request, reply, done) => {
    try {
      if (begin(request, reply) !== undefined) return;
      if (request.ws) checkSocket(request);
      done();
    } catch (refusal) {
      done(refusal as Error);
    }
  });
  // Its body may have taken half a minute, and not every request ends with its key.
  app.addHook('preHandler', (request, _reply, done) => {
    const { owner } = request;
    try {
      if (owner !== null && request.keyChanges !== fleet.apiKeys.changes) {
        checkRights(request, owner, presentRights(fleet, owner));
      }
    } catch (refusal) {
      return done(refusal as Error);
    }
    done();
  });
  app.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply));
  const showUnknown = addDashboard(app);
  const answerUnknown = (request: FastifyRequest, reply: FastifyReply) =>
    isLostBrowser(request) ? showUnknown(request, reply) : refuseUnknown(fleet, request, PREFIX);
  app.setNotFoundHandler(answerUnknown);
  app.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  const sockets = { fleet, connections, limit: new SocketLimit() };
  limitRequests(app);
  disconnectSlowClients(app);
  logRequests(app, fleet);
  options.metrics?.serve(app, (owner) => mayAdminister(fleet, owner));
  await app.register(
    async (api) => {
      // One of its own: the requests that it gets have the prefix of the API, however they wrote it.
      api.setNotFoundHandler(answerUnknown);
      addOpenApi(api, version);
      addReference(api, version);
      addHealth(api, fleet, version);
      addSessionRoutes(api, fleet);
      addRoutes(api, fleet);
      await addFileRoutes(api, fleet);
      await addImageBuild(api, fleet);
      addProcessSocket(api, sockets);
      addTunnelSocket(api, sockets);
      addBrowserSocket(api, sockets);
      addBrowserVersion(api, fleet);
      addWallSocket(api, sockets);
      addMcp(api, version);
      addViewPages(api);
      addViewSocket(api, sockets);
      addSoundSocket(api, sockets);
    },
    { prefix: PREFIX },
  );
  servePublications(app, fleet);
  return app;
}
