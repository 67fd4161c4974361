import { resolve } from 'node:path';
import {
  DEFAULT_HOST,
  DEFAULT_PORT,
  DEFAULT_STORAGE,
  MOST_STORAGE,
} from '../../contract/constants.js';
import type { EngineOption, EngineOptionValues } from '../../engines/descriptor.js';
import { engines } from '../../engines/index.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { type Environment, stateDirectory } from '../../profile/index.js';
import { UsageError } from '../errors/cli-error.js';
import { choice, flag, list, type Option, value } from '../framework/define.js';
import { DEFAULT_ENGINE, ENGINE_CHOICES, engineChoice } from '../input/engine-choice.js';
import { nonEmpty, number } from '../input/parse.js';
import {
  formatListen,
  isLoopback,
  type Listen,
  parseDomain,
  parseHostName,
  parseListen,
  parseNetwork,
  parseOrigin,
} from './listen.js';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const engineOptionSpecs = engines.flatMap(({ options }) => options);

/** An engine's own option by the key that the parser gives it: `sudo` of `--no-sudo`. */
const engineOptions = Object.fromEntries(
  engineOptionSpecs.map((spec) => [keyOf(spec), optionOf(spec)]),
);

function keyOf({ name }: EngineOption): string {
  return name.replace(/^no-/, '').replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function optionOf(spec: EngineOption): Option<boolean | number | undefined> {
  const { name, summary } = spec;
  if (spec.type === 'flag') return flag(`--${name}`, summary);
  return value(`--${name} <n>`, summary, number(spec), { otherwise: String(spec.default) });
}

/** Options of `vc serve` for every engine. */
const ownOptions = {
  listen: value('--listen <host:port>', 'address to listen on', parseListen, {
    otherwise: 'VC_LISTEN or 127.0.0.1:4700',
  }),
  expose: flag('--expose', 'allow --listen on an address that other machines can reach'),
  allowHost: list('--allow-host <name>', 'host name that clients use; repeatable', parseHostName),
  allowOrigin: list(
    '--allow-origin <origin>',
    'web page that may use the service with a key; repeatable',
    parseOrigin,
  ),
  previewDomain: value(
    '--preview-domain <domain>',
    'domain of published ports behind a proxy with TLS, such as preview.example.com',
    parseDomain,
    { otherwise: 'NAME.localhost' },
  ),
  engine: choice('--engine <name>', 'engine for new computers', ENGINE_CHOICES, {
    otherwise: DEFAULT_ENGINE,
  }),
  state: value('--state <directory>', 'state directory', nonEmpty, {
    otherwise: 'VC_STATE_DIR or ~/.local/state/vc',
  }),
  maxRunning: value(
    '--max-running <n>',
    'running computers per owner',
    number({ min: 1, max: 10_000, unit: 'computers' }),
    { otherwise: '2' },
  ),
  maxStorage: value(
    '--max-storage <gb>',
    'GB of snapshots, images and volumes per owner',
    number({ min: 0, max: MOST_STORAGE, unit: 'GB' }),
    { otherwise: String(DEFAULT_STORAGE) },
  ),
  allowNetwork: list(
    '--allow-network <cidr>',
    'private network that computers may reach; repeatable',
    parseNetwork,
  ),
  internet: flag('--no-internet', 'block internet access of computers'),
  metrics: flag('--metrics', 'serve Prometheus metrics at /metrics (VC_METRICS=1)'),
  allowPrivateTargets: flag(
    '--allow-private-targets',
    'allow streams and webhooks to private addresses (VC_ALLOW_PRIVATE_TARGETS=1)',
  ),
  logLevel: choice('--log-level <level>', 'log level', logLevels, { otherwise: 'info' }),
  detach: flag('-d, --detach', 'run in the background; logs to serve.log in the state directory'),
};

export const serveOptions = { ...ownOptions, ...engineOptions };

/** The options with defaults filled in. */
export interface ServePlan {
  readonly listen: Listen;
  readonly exposed: boolean;
  readonly engine: string;
  readonly stateDirectory: string;
  readonly maxRunning: number;
  readonly maxStorage: number;
  readonly engineOptions: EngineOptionValues;
  readonly allowNetworks: readonly string[];
  readonly internet: boolean;
  readonly allowPrivateTargets: boolean;
  readonly metrics: boolean;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly previewDomain?: string | undefined;
  readonly logLevel: (typeof logLevels)[number];
}

type Values = {
  [Name in keyof typeof ownOptions]: ReturnType<(typeof ownOptions)[Name]['read']>;
} & Readonly<Record<string, unknown>>;

/** Applies defaults and checks the options. Throws UsageError. */
export function planServe(options: Values, env: Environment, cwd: string): ServePlan {
  const listen = options.listen ?? listenOf(env) ?? { host: DEFAULT_HOST, port: DEFAULT_PORT };
  const exposed = !isLoopback(listen.host);
  if (exposed && !options.expose) {
    throw new UsageError(
      `${formatListen(listen)} can be reached from other machines`,
      'to allow that, add --expose; anyone with a key can then run commands in the computers',
    );
  }
  return {
    listen,
    exposed,
    engine: engineChoice(options.engine, env),
    stateDirectory: resolve(cwd, options.state ?? stateDirectory(env)),
    maxRunning: options.maxRunning ?? DEFAULTS.maxRunning,
    maxStorage: options.maxStorage ?? DEFAULTS.maxStorage,
    engineOptions: engineValues(options),
    allowNetworks: options.allowNetwork,
    internet: options.internet,
    metrics: options.metrics || env.VC_METRICS === '1',
    allowPrivateTargets: options.allowPrivateTargets || env.VC_ALLOW_PRIVATE_TARGETS === '1',
    allowedHosts: options.allowHost,
    allowedOrigins: options.allowOrigin,
    previewDomain: options.previewDomain,
    logLevel: options.logLevel ?? DEFAULTS.logLevel,
  };
}

/** What a service is started with unless options or the environment say otherwise. */
const DEFAULTS = {
  engine: 'auto',
  maxRunning: 2,
  maxStorage: DEFAULT_STORAGE,
  logLevel: 'info',
  engineOptions: engineValues({}),
  allowNetworks: [],
  internet: true,
  allowPrivateTargets: false,
  metrics: false,
  allowedHosts: [],
  allowedOrigins: [],
  previewDomain: undefined,
} as const satisfies Partial<ServePlan>;

/**
 * The options of a plan, as they are typed, that a service with these arguments does not have. Defaults
 * are no wish.
 */
export function missingOptions(plan: ServePlan, running: readonly string[]): string[] {
  const present = new Set([
    ...optionsIn(running),
    ...optionsIn(serveArguments({ ...plan, ...DEFAULTS })),
  ]);
  return optionsIn(serveArguments(plan)).filter((option) => !present.has(option));
}

/** `--name value` and `--name` of a command line. */
function optionsIn(argv: readonly string[]): string[] {
  return argv.flatMap((word, index) => {
    if (!word.startsWith('--')) return [];
    const value = argv[index + 1];
    return value === undefined || value.startsWith('--') ? [word] : [`${word} ${shellWord(value)}`];
  });
}

function engineValues(options: Readonly<Record<string, unknown>>): EngineOptionValues {
  const entries = engineOptionSpecs.map((spec): [string, boolean | number] => {
    const given = options[keyOf(spec)];
    if (spec.type === 'flag') return [spec.name, given === !spec.name.startsWith('no-')];
    return [spec.name, typeof given === 'number' ? given : spec.default];
  });
  return Object.fromEntries(entries);
}

/** The arguments that give an engine's option its value again. */
function engineArguments([name, given]: [string, boolean | number]): string[] {
  if (typeof given === 'number') return [`--${name}`, String(given)];
  return given ? [`--${name}`] : [];
}

function listenOf({ VC_LISTEN: text }: Environment): Listen | undefined {
  try {
    return text ? parseListen(text) : undefined;
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`VC_LISTEN: ${error.message}`) : error;
  }
}

/** The arguments of `vc` that run this plan in the foreground. */
export function serveArguments(plan: ServePlan): ['serve', ...string[]] {
  return [
    'serve',
    '--listen',
    formatListen(plan.listen),
    ...(plan.exposed ? ['--expose'] : []),
    '--engine',
    plan.engine,
    '--state',
    plan.stateDirectory,
    '--max-running',
    String(plan.maxRunning),
    '--max-storage',
    String(plan.maxStorage),
    ...Object.entries(plan.engineOptions).flatMap(engineArguments),
    '--log-level',
    plan.logLevel,
    ...(plan.internet ? [] : ['--no-internet']),
    ...(plan.metrics ? ['--metrics'] : []),
    ...(plan.allowPrivateTargets ? ['--allow-private-targets'] : []),
    ...plan.allowNetworks.flatMap((network) => ['--allow-network', network]),
    ...plan.allowedHosts.flatMap((host) => ['--allow-host', host]),
    ...plan.allowedOrigins.flatMap((origin) => ['--allow-origin', origin]),
    ...(plan.previewDomain === undefined ? [] : ['--preview-domain', plan.previewDomain]),
  ];
}
