import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { type LevelWithSilent, pino } from 'pino';
import { ApiError } from '../contract/errors.js';
import { createDockerEngine } from '../engines/docker/index.js';
import { Fleet } from '../fleet/fleet.js';
import { openStore, type Store } from '../fleet/store/index.js';
import { buildApp, PREFIX } from './app.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

export interface ServeOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly engine: 'auto' | 'docker';
  /** Holds the database and the machines' sockets; made 0700. */
  readonly stateDirectory: string;
  readonly maxRunning: number;
  readonly allowSudo: boolean;
  /** CIDRs of private networks that computers may reach all the same. */
  readonly allowNetworks: readonly string[];
  /** May computers reach the public internet? */
  readonly internet: boolean;
  /** Names of this service, besides loopback, that a Host header may carry. */
  readonly allowedHosts: readonly string[];
  readonly logLevel: LevelWithSilent;
  /** Puts the first key where its user finds it; called before the key takes effect. */
  publishFirstKey(key: string, baseUrl: string): Promise<void>;
}

export interface Service {
  /** Base URL for clients on this machine, `/api` included. */
  readonly url: string;
  /** Lets go of everything; the computers go on running. Idempotent. */
  close(): Promise<void>;
}

/** Starts the service. Rejects, with nothing left open, when the port or the state is taken. */
export async function serve(options: ServeOptions): Promise<Service> {
  const store = openStore(options.stateDirectory);
  const log = pino(
    {
      level: options.logLevel,
      base: undefined,
      redact: ['key', 'text', 'code', 'command', '*.key', '*.text', '*.code', '*.command'],
    },
    pino.destination({ dest: 2, sync: true }),
  );
  const fleet = await openFleet(options, store, log);
  try {
    const reachable = { hosts: [...options.allowedHosts, ...listenName(options.listen.host)] };
    const app = await buildApp({ fleet, reachable, version, log });
    await app.listen(options.listen).catch((cause) => {
      throw listeningError(options.listen, cause);
    });
    const url = localUrl(app.server.address() as AddressInfo);
    let closing: Promise<void> | undefined;
    const close = async () => {
      await app.close();
      await fleet.close();
    };
    await fleet.access.ensureOwner((key) => options.publishFirstKey(key, url));
    return { url, close: () => (closing ??= close()) };
  } catch (error) {
    await fleet.close();
    throw error;
  }
}

async function openFleet(options: ServeOptions, store: Store, log: pino.Logger): Promise<Fleet> {
  const directory = join(options.stateDirectory, 'machines');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const docker = createDockerEngine({
    serviceId: store.serviceId,
    directory,
    allowSudo: options.allowSudo,
    allowNetworks: options.allowNetworks,
    internet: options.internet,
  });
  const engines = { all: new Map([[docker.name, docker]]), preferred: docker.name };
  return new Fleet({ store, engines, maxRunning: options.maxRunning, log });
}

/** A client on this machine reaches a service on all addresses through loopback. */
function localUrl({ address, port, family }: AddressInfo): string {
  const everywhere = address === '0.0.0.0' || address === '::';
  const host = everywhere ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}${PREFIX}`;
}

/** The address that is listened on is a name of the service, unless it stands for all. */
function listenName(host: string): string[] {
  if (host === '0.0.0.0' || host === '::') return [];
  return [isIP(host) === 6 ? `[${host}]` : host];
}

function listeningError(listen: ServeOptions['listen'], cause: unknown): ApiError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reasons: Record<string, string> = {
    EADDRINUSE: 'the port is in use; stop what listens there or choose another with --listen',
    EACCES: 'it needs more rights; choose a port above 1023 with --listen',
    EADDRNOTAVAIL: 'this machine does not have that address; choose another with --listen',
  };
  const reason = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new ApiError('internal', `Cannot listen on ${listen.host}:${listen.port}: ${reason}.`, {
    cause,
  });
}
