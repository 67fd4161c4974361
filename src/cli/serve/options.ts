import { resolve } from 'node:path';
import { type Environment, stateDirectory } from '../../profile/index.js';
import { choice, flag, list, value } from '../define.js';
import { ENGINE_CHOICES, type EngineChoice, engineChoice } from '../engine-choice.js';
import { UsageError } from '../errors.js';
import { nonEmpty, number } from '../parse.js';
import {
  formatListen,
  isLoopback,
  type Listen,
  parseHostName,
  parseListen,
  parseNetwork,
} from './listen.js';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The flags of `vc serve`. */
export const serveOptions = {
  listen: value('--listen <host:port>', 'address to listen on', parseListen, {
    otherwise: 'VC_LISTEN or 127.0.0.1:4700',
  }),
  expose: flag('--expose', 'allow --listen to be reached from other machines'),
  allowHost: list(
    '--allow-host <name>',
    'name that clients reach it by; repeatable',
    parseHostName,
  ),
  engine: choice('--engine <name>', 'what runs new computers', ENGINE_CHOICES, {
    otherwise: 'VC_ENGINE or auto: Docker where an Engine answers, else QEMU',
  }),
  state: value('--state <directory>', 'where its state is kept', nonEmpty, {
    otherwise: 'VC_STATE_DIR or ~/.local/state/vc',
  }),
  maxRunning: value(
    '--max-running <n>',
    'computers that one owner may run at once',
    number({ min: 1, max: 10_000, unit: 'computers' }),
    { otherwise: '2' },
  ),
  spares: value(
    '--spares <n>',
    'virtual machines kept ready, so that one like the last is there at once',
    number({ min: 0, max: 64, unit: 'machines' }),
    { otherwise: '1' },
  ),
  allowSudo: flag('--allow-sudo', 'let computers in containers use sudo inside'),
  allowNetwork: list(
    '--allow-network <cidr>',
    'private network they may reach; repeatable',
    parseNetwork,
  ),
  internet: flag('--no-internet', 'keep them off the public internet'),
  metrics: flag('--metrics', 'tell every key how much is done, at /metrics (VC_METRICS=1)'),
  allowPrivateRtmp: flag(
    '--allow-private-rtmp',
    'let streams go to loopback and private addresses; or VC_ALLOW_PRIVATE_RTMP=1',
  ),
  logLevel: choice('--log-level <level>', 'how much is logged', logLevels, { otherwise: 'info' }),
  detach: flag('-d, --detach', 'run in the background; log to serve.log in the state directory'),
};

/** What the flags mean, defaults filled in. */
export interface ServePlan {
  readonly listen: Listen;
  readonly exposed: boolean;
  readonly engine: EngineChoice;
  readonly stateDirectory: string;
  readonly maxRunning: number;
  readonly spares: number;
  readonly allowSudo: boolean;
  readonly allowNetworks: readonly string[];
  readonly internet: boolean;
  readonly allowPrivateRtmp: boolean;
  readonly metrics: boolean;
  readonly allowedHosts: readonly string[];
  readonly logLevel: (typeof logLevels)[number];
}

type Values = {
  [Name in keyof typeof serveOptions]: ReturnType<(typeof serveOptions)[Name]['read']>;
};

/** Checks the flags against each other. Throws UsageError. */
export function planServe(options: Values, env: Environment, cwd: string): ServePlan {
  const listen = options.listen ?? listenOf(env) ?? { host: '127.0.0.1', port: 4700 };
  const exposed = !isLoopback(listen.host);
  if (exposed && !options.expose) {
    throw new UsageError(
      `${formatListen(listen)} can be reached from other machines`,
      'add --expose if that is meant; everyone with a key can then run commands in the computers',
    );
  }
  return {
    listen,
    exposed,
    engine: engineChoice(options.engine, env),
    stateDirectory: resolve(cwd, options.state ?? stateDirectory(env)),
    maxRunning: options.maxRunning ?? 2,
    spares: options.spares ?? 1,
    allowSudo: options.allowSudo,
    allowNetworks: options.allowNetwork,
    internet: options.internet,
    metrics: options.metrics || env.VC_METRICS === '1',
    allowPrivateRtmp: options.allowPrivateRtmp || env.VC_ALLOW_PRIVATE_RTMP === '1',
    allowedHosts: options.allowHost,
    logLevel: options.logLevel ?? 'info',
  };
}

function listenOf({ VC_LISTEN: text }: Environment): Listen | undefined {
  try {
    return text ? parseListen(text) : undefined;
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`VC_LISTEN: ${error.message}`) : error;
  }
}

/** The arguments of `vc` that give this plan again, in the foreground. */
export function serveArguments(plan: ServePlan): string[] {
  return [
    'serve',
    ...['--listen', formatListen(plan.listen)],
    ...(plan.exposed ? ['--expose'] : []),
    ...['--engine', plan.engine, '--state', plan.stateDirectory],
    ...['--max-running', String(plan.maxRunning), '--spares', String(plan.spares)],
    ...['--log-level', plan.logLevel],
    ...(plan.allowSudo ? ['--allow-sudo'] : []),
    ...(plan.internet ? [] : ['--no-internet']),
    ...(plan.metrics ? ['--metrics'] : []),
    ...(plan.allowPrivateRtmp ? ['--allow-private-rtmp'] : []),
    ...plan.allowNetworks.flatMap((network) => ['--allow-network', network]),
    ...plan.allowedHosts.flatMap((host) => ['--allow-host', host]),
  ];
}
