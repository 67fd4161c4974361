import { type AddressInfo, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type LevelWithSilent, pino } from 'pino';
import { ApiError } from '../contract/errors.js';
import { Fleet } from '../fleet/fleet.js';
import type { Previews } from '../fleet/publications/publications.js';
import { MachineSessions } from '../fleet/sessions/machine-sessions.js';
import { openStore, type Store } from '../fleet/store/index.js';
import { packageVersion } from '../lib/package-root.js';
import { errorMessage } from '../lib/text/error-message.js';
import { buildApp, PREFIX } from './app.js';
import { composeEngines, type EngineOptions } from './engines.js';
import { limitError, limitTexts } from './limits/log-text.js';
import { rotatingLog } from './limits/rotating-log.js';
import { listenLocally } from './local-socket.js';
import { Metrics } from './metrics.js';

const version = packageVersion();
/** How long a start waits for the engines, in milliseconds. */
const PROBE_MS = 3_000;

export interface ServeOptions extends EngineOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly maxRunning: number;
  /** GB of snapshots, images and volumes per owner. */
  readonly maxStorage?: number;
  /** May streams and webhooks go to loopback and private addresses? */
  readonly allowPrivateTargets: boolean;
  /** Serve Prometheus metrics to every key. */
  readonly metrics: boolean;
  /** Names of this service, besides loopback, that a Host header may carry. */
  readonly allowedHosts: readonly string[];
  /** Origins of other web pages that may use the service. */
  readonly allowedOrigins: readonly string[];
  /** Domain of the names of publications, without `localhost`. */
  readonly previewDomain?: string | undefined;
  readonly logLevel: LevelWithSilent;
  /** Turns a line of JSON into the line to write, both with their newline. */
  readonly formatLog?: (line: string) => string;
  /** Stores the first key for the user; called before the key takes effect. */
  publishFirstKey(key: string, baseUrl: string): Promise<void>;
}

export interface Service {
  /** Base URL for clients on this machine, `/api` included. */
  readonly url: string;
  /** A single-use link to the web page, at the first start. */
  readonly login?: string;
  /** Why the engine of new computers cannot be used, and how to fix it; absent if it can. */
  readonly engineProblem?: string;
  /** Stops the service. The computers keep running. Idempotent. */
  close(): Promise<void>;
}

/** Starts the service. Rejects, with nothing left open, if the port or the state is in use. */
export async function serve(options: ServeOptions): Promise<Service> {
  const log = pino(
    {
      level: options.logLevel,
      base: undefined,
      serializers: { err: limitError },
      formatters: { log: limitTexts },
      redact: [
        'key',
        'text',
        'code',
        'command',
        '*.key',
        '*.stream_key',
        '*.url',
        '*.text',
        '*.code',
        '*.command',
      ],
    },
    rotatingLog(logDestination(options), options.stateDirectory, { fd: 2 }),
  );
  const store = openStore(options.stateDirectory);
  let fleet: Fleet | undefined;
  let app: FastifyInstance | undefined;
  let local: Awaited<ReturnType<typeof listenLocally>> | undefined;
  const close = async () => {
    try {
      await local?.close();
      await app?.close();
    } finally {
      // The fleet closes its store.
      await (fleet ?? store).close();
    }
  };
  try {
    const metrics = new Metrics();
    const port = () => (app?.server.address() as AddressInfo | null)?.port ?? options.listen.port;
    const previews = { domain: options.previewDomain, port };
    const parts = { store, log, metrics, previews };
    const { fleet: hosted, preferred } = await openFleet(options, parts);
    fleet = hosted;
    metrics.watch(fleet);
    const reachable = {
      hosts: [...options.allowedHosts, ...listenName(options.listen.host)],
      origins: options.allowedOrigins,
    };
    app = await buildApp({
      fleet,
      reachable,
      version,
      log,
      ...(options.metrics ? { metrics } : {}),
    });
    const opened = fleet;
    const address = await listen(app, options.listen);
    local = await listenLocally({
      stateDirectory: options.stateDirectory,
      log,
      api: app.server,
      unadopted: () => opened.unadopted,
      backup: (path) => void store.backup(path, version),
    });
    const url = localUrl(address);
    let closing: Promise<void> | undefined;
    let firstKey: string | undefined;
    const isFirst = await fleet.apiKeys.ensureOwner(async (key) => {
      await options.publishFirstKey(key, url);
      firstKey = key;
    });
    const login = isFirst ? firstLogin(fleet, firstKey, url) : undefined;
    const engineProblem = await problemOf(fleet, preferred);
    return {
      url,
      ...(login === undefined ? {} : { login }),
      ...(engineProblem === undefined ? {} : { engineProblem }),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Undefined also if the engines do not answer soon: health reports them later. */
async function problemOf(fleet: Fleet, engine: string): Promise<string | undefined> {
  const late = sleep(PROBE_MS, [], { ref: false });
  const probes = await Promise.race([fleet.probes(), late]);
  const probe = probes.find(({ name }) => name === engine);
  if (probe === undefined || probe.usable) return undefined;
  return `the engine ${engine} cannot be used: ${probe.detail}`;
}

function firstLogin(fleet: Fleet, key: string | undefined, url: string): string | undefined {
  const owner = key === undefined ? undefined : fleet.apiKeys.authenticate(key);
  if (owner === undefined) return undefined;
  return `${url.slice(0, -PREFIX.length)}/#login=${fleet.sessions.issueLogin(owner).text}`;
}

/** Standard error, written before the next line of code runs. */
function logDestination({ formatLog }: ServeOptions): { write(line: string): unknown } {
  const stderr = pino.destination({ dest: 2, sync: true });
  return formatLog ? { write: (line) => stderr.write(formatLog(line)) } : stderr;
}

interface OpeningParts {
  readonly store: Store;
  readonly log: pino.Logger;
  readonly metrics: Metrics;
  readonly previews: Previews;
}

async function openFleet(
  options: ServeOptions,
  { store, log, metrics, previews }: OpeningParts,
): Promise<{ readonly fleet: Fleet; readonly preferred: string }> {
  const machineSessions = new MachineSessions(store);
  const composed = await composeEngines(options, store, log, machineSessions);
  const measured = [...composed.all].map(
    ([name, engine]) => [name, metrics.measured(engine)] as const,
  );
  const engines = { ...composed, all: new Map(measured) };
  const { preferred } = engines;
  log.info({ engine: preferred }, 'new computers get this engine');
  const { maxRunning, maxStorage, allowPrivateTargets } = options;
  const limits = { maxRunning, maxStorage, allowPrivateTargets };
  const fleet = new Fleet({ store, engines, machineSessions, ...limits, log, previews });
  return { fleet, preferred };
}

async function listen(app: FastifyInstance, where: ServeOptions['listen']): Promise<AddressInfo> {
  // Fastify would open a second server for the name, to which no limits apply.
  const host = where.host === 'localhost' ? '127.0.0.1' : where.host;
  await app.listen({ ...where, host }).catch((cause) => {
    throw listeningError(where, cause);
  });
  return app.server.address() as AddressInfo;
}

/** A client on this machine reaches a service on all addresses through loopback. */
function localUrl({ address, port, family }: AddressInfo): string {
  const everywhere = address === '0.0.0.0' || address === '::';
  const host = everywhere ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}${PREFIX}`;
}

/** The listening address is a name of the service, unless it is a wildcard. */
function listenName(host: string): string[] {
  if (host === '0.0.0.0' || host === '::') return [];
  return [isIP(host) === 6 ? `[${host}]` : host];
}

function listeningError(listen: ServeOptions['listen'], cause: unknown): ApiError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const known: Record<string, readonly [reason: string, remedy: string]> = {
    EADDRINUSE: [
      'the port is in use',
      'Stop the process that listens there, or choose another port with --listen',
    ],
    EACCES: ['permission denied', 'Choose a port above 1023 with --listen'],
    EADDRNOTAVAIL: ['this host does not have that address', 'Choose another one with --listen'],
  };
  const [reason, remedy] = known[code] ?? [errorMessage(cause)];
  const host = isIP(listen.host) === 6 ? `[${listen.host}]` : listen.host;
  return new ApiError('internal', `Cannot listen on ${host}:${listen.port}: ${reason}.`, {
    remedy,
    cause,
  });
}
