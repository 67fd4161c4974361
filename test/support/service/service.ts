import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { inject, type ProvidedContext } from 'vitest';
import { VirtualComputers } from '../../../src/client/index.js';
import { plantQemuSeed } from '../qemu/seed.js';
import { PROXY_HOST } from '../tls/proxy-host.js';
import { RECORDER, requestsFile } from './requests/requests.js';

export const VC = new URL('../../../bin/vc.js', import.meta.url).pathname;

/** A running `vc serve`. */
export interface ServiceClient {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A temporary directory for the test. */
  readonly directory: string;
  readonly vc: VirtualComputers;
  /** The complete environment of the commands that {@link cli} runs. */
  readonly env: NodeJS.ProcessEnv;
  /** Everything that the service wrote to stderr. */
  log(): string;
  /** Runs `vc ARGS` against it; never throws for an exit code. */
  cli(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** Sends a request without the product's own client. */
  http(method: string, path: string, body?: unknown): Promise<HttpAnswer>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly json: Json;
  /** The header `x-error-remedy`. */
  readonly remedy?: string | undefined;
}

/** A `vc serve` for one test file, with its own state and configuration. */
export interface TestService extends ServiceClient {
  readonly pid: number;
  /** Ends it with the signal and waits for it. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts it again on the same state and port. */
  start(): Promise<void>;
  /** Removes its computers, ends it, and removes its directory. */
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read single fields of answers
export type Json = any;

export interface CliOptions {
  readonly input?: string | Buffer;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

export interface CliResult {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

export interface ServiceOptions {
  readonly engine: 'docker' | 'podman' | 'qemu' | 'incus';
  /** How to run a service on the Podman of the tests. */
  readonly podman?: ProvidedContext['podman'] | undefined;
  /** Value of DOCKER_HOST. */
  readonly dockerHost: string;
  /** State directory from which QEMU images and templates are linked; none if empty. */
  readonly qemuSeed: string;
  /** State directory from which the settings of a cluster are copied; none if empty. */
  readonly clusterState?: string;
  /** Most file descriptors that it may open; by default as many as the test. */
  readonly descriptors?: number;
  /** More flags for `vc serve`. */
  readonly flags?: readonly string[];
  /** Process id of an engine that sees only what is mounted in its own namespace. */
  readonly mountsOf?: number;
  /** It runs in a mount namespace of its own, so that a test may hide a program from it. */
  readonly ownMounts?: boolean;
  /** A module of this path is loaded before the service. */
  readonly preload?: string;
  /** More variables for the service. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A service with the engine of this run, unless `options` or their flags name another. */
export function openTestService(
  flags: readonly string[] = [],
  options: Partial<ServiceOptions> = {},
): Promise<TestService> {
  return startService({
    engine: inject('engine'),
    dockerHost: inject('dockerHost'),
    qemuSeed: inject('qemuSeed'),
    clusterState: inject('clusterState'),
    podman: inject('podman'),
    flags,
    ...options,
  });
}

/** How to reach a service that another process has started. */
export interface ServiceAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly logFile: string;
  /** The origin that it allows pages of; nothing listens there. */
  readonly pageOrigin: string;
}

/** A client of the service that all files of a project share. It must not be stopped. */
export function connectSharedService(): ServiceClient & { close(): Promise<void> } {
  const { baseUrl, apiKey, logFile } = inject('sharedService');
  const directory = mkdtempSync(join(tmpdir(), 'vc-e2e-'));
  const env = {
    ...environmentIn(directory),
    CONTAINER_HOST: process.env.CONTAINER_HOST,
    VC_ENGINE: inject('engine'),
    DOCKER_HOST: inject('dockerHost'),
    VC_BASE_URL: baseUrl,
    VC_API_KEY: apiKey,
  };
  plantCluster(inject('clusterState'), directory);
  const vc = new VirtualComputers({ baseUrl, apiKey });
  const log = () => readFileSync(logFile, 'utf8');
  return {
    ...{ baseUrl, apiKey, directory, vc, env },
    log,
    cli: commandRunner(env),
    http: requester(() => baseUrl, apiKey, log),
    close: async () => {
      await vc.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Environment that keeps a program's user files in the directory. */
function environmentIn(directory: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: directory,
    VC_CONFIG_DIR: join(directory, 'config'),
    VC_STATE_DIR: join(directory, 'state'),
    VC_CACHE_DIR: process.env.VC_CACHE_DIR,
  };
}

/** Gives the state directory of a service or command access to the cluster of the tests. */
function plantCluster(clusterState: string | undefined, directory: string): void {
  if (!clusterState) return;
  cpSync(join(clusterState, 'incus'), join(directory, 'state', 'incus'), { recursive: true });
}

export async function startService(
  options: ServiceOptions,
): Promise<TestService & { readonly logFile: string }> {
  const { engine, dockerHost, qemuSeed, flags = [] } = options;
  const directory = mkdtempSync(join(tmpdir(), 'vc-e2e-'));
  const logFile = join(directory, 'service.log');
  const env = {
    ...environmentIn(directory),
    ...(options.podman?.env ?? { CONTAINER_HOST: process.env.CONTAINER_HOST }),
    VC_ENGINE: engine,
    DOCKER_HOST: dockerHost,
  };
  plantCluster(options.clusterState, directory);
  if (qemuSeed !== '') await plantQemuSeed(qemuSeed, join(directory, 'state'));
  const log = () => readFileSync(logFile, 'utf8');
  let child: ChildProcess | undefined;
  let listen = '127.0.0.1:0';
  let baseUrl = '';

  async function start(): Promise<void> {
    const output = openSync(logFile, 'a', 0o600);
    const before = log().length;
    // Warm machines have their own test; in other tests they would only boot extra machines.
    const preloads = [RECORDER, ...(options.preload === undefined ? [] : [options.preload])];
    const imports = preloads.flatMap((path) => ['--import', path]);
    const allowed = ['--allow-host', PROXY_HOST];
    const args = [
      ...imports,
      VC,
      'serve',
      '--listen',
      listen,
      '--spares',
      '0',
      ...allowed,
      ...flags,
    ];
    const limits = options.descriptors ? ['prlimit', `--nofile=${options.descriptors}`] : [];
    const ofEngine = options.mountsOf ? ['nsenter', '-t', `${options.mountsOf}`, '-m'] : [];
    const mounts = options.ownMounts
      ? ['unshare', '--mount']
      : (options.podman?.prefix ?? ofEngine);
    const [program = '', ...rest] = [...mounts, ...limits, process.execPath, ...args];
    child = spawn(program, rest, {
      env: { ...env, ...options.env, VC_TEST_REQUESTS: requestsFile(engine) },
      stdio: ['ignore', 'ignore', output],
    });
    closeSync(output);
    for (const end = Date.now() + 60_000; ; await sleep(20)) {
      const url = /http:\/\/127\.0\.0\.1:\d+\/api/.exec(log().slice(before))?.[0];
      if (url && (await healthy(url))) {
        baseUrl = url;
        listen = new URL(url).host;
        return;
      }
      if (child.exitCode !== null || Date.now() > end) {
        child.kill('SIGKILL');
        throw new Error(`vc serve did not start:\n${log().slice(before)}`);
      }
    }
  }

  async function kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const dying = child;
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
    const ended = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill(signal);
    await ended;
  }

  await start();
  // The profile is written before the first key takes effect, right after the service listens.
  const profiles = JSON.parse(readFileSync(join(directory, 'config', 'config.json'), 'utf8'));
  const apiKey: string = profiles.profiles.default.apiKey;
  const vc = new VirtualComputers({ baseUrl, apiKey });

  return {
    get baseUrl() {
      return baseUrl;
    },
    get pid() {
      return child?.pid ?? 0;
    },
    apiKey,
    directory,
    vc,
    env,
    log,
    logFile,
    cli: commandRunner(env),
    http: requester(() => baseUrl, apiKey, log),
    kill,
    start,
    close: async () => {
      if (!(await healthy(baseUrl))) await start();
      for (const project of await vc.projects.list()) await vc.projects.delete(project.name);
      await vc.close();
      await kill('SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function healthy(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/health`).then(
    (response) => response.ok,
    () => false,
  );
}

function commandRunner(env: NodeJS.ProcessEnv): ServiceClient['cli'] {
  return async (args, options = {}) => {
    const result = await execa(process.execPath, [VC, ...args], {
      env: { ...env, ...options.env },
      extendEnv: false,
      reject: false,
      encoding: 'buffer',
      timeout: 600_000,
      stripFinalNewline: false,
      ...(options.cwd ? { cwd: options.cwd } : {}),
      ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
    });
    return {
      code: result.exitCode,
      stdout: Buffer.from(result.stdout).toString(),
      stderr: Buffer.from(result.stderr).toString(),
      bytes: Buffer.from(result.stdout),
    };
  };
}

function requester(
  baseUrl: () => string,
  apiKey: string,
  log: () => string,
): ServiceClient['http'] {
  return async (method, path, body) => {
    const response = await fetch(baseUrl() + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      const why = `${error.cause ?? error}; the end of the service's log:\n${log().slice(-4_000)}`;
      throw new Error(`${method} ${path} was not answered: ${why}`, { cause: error });
    });
    const remedy = response.headers.get('x-error-remedy') ?? undefined;
    return { status: response.status, json: await response.json(), remedy };
  };
}
