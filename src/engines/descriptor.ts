import type { Engine, EngineImage, MachineNetworks, MachineShape, Os, WarmUp } from './engine.js';
import type { MachineIdentity, PreparedMachine } from './pool/reserving.js';

/**
 * An engine's interface to the service and the command line. `vc --help` and completion load every
 * descriptor, so it imports its implementation only when that is called.
 */
export interface EngineDescriptor {
  /** The value of `--engine`; stored with every computer. */
  readonly name: string;
  /** For people: `Docker`. */
  readonly title: string;
  /** What its computers run in: `containers`. */
  readonly runsIn: string;
  /** Used only where it is named: `auto` does not choose it. */
  readonly onlyByName?: true;
  /** Its own options of `vc serve`. */
  readonly options: readonly EngineOption[];
  /** Environment variables that it reads, each with its meaning. */
  readonly environment: readonly (readonly [name: string, meaning: string])[];
  /** Small files in the state directory that a backup contains, as paths within it. */
  readonly stateFiles?: readonly string[];
  /** Opens the engine. Without a service it is used to look at the engine and its images only. */
  open(stateDirectory: string, service?: ServiceSettings): Promise<Engine>;
  readonly images: EngineImages;
  setup(): Promise<EngineSetup>;
  /** Further checks of `vc doctor`. */
  checks(): Promise<readonly EngineCheck[]>;
}

/** An option of `vc serve` that belongs to one engine. */
export type EngineOption =
  | { readonly type: 'flag'; readonly name: string; readonly summary: string }
  | {
      readonly type: 'number';
      readonly name: string;
      readonly summary: string;
      /** What is counted. */
      readonly unit: string;
      readonly min: number;
      readonly max: number;
      readonly default: number;
    };

/** For engines whose computers can be kept from becoming root. */
export const NO_SUDO: EngineOption = {
  type: 'flag',
  name: 'no-sudo',
  summary: 'containers without sudo',
};

/** The size of the warm pool, for every engine that has one. */
export const SPARES: EngineOption = {
  type: 'number',
  name: 'spares',
  summary: 'computers kept ready for fast creation',
  unit: 'machines',
  min: 0,
  max: 64,
  default: 1,
};

/** Values of engines' own options by name. */
export type EngineOptionValues = Readonly<Record<string, boolean | number>>;

/** Settings that a running service passes to its engines. */
export interface ServiceSettings {
  /** The installation's id: machines of other installations are never touched. */
  readonly serviceId: string;
  /** May machines reach the public internet? */
  readonly internet: boolean;
  /** CIDRs of private networks that machines may reach. */
  readonly allowNetworks: readonly string[];
  readonly options: EngineOptionValues;
  /** What machines may reach at present, for an engine that is `Restricting`. */
  networks(): MachineNetworks;
  /** Uses a new machine once, as a client would. */
  warmUp(machine: WarmUp): Promise<void>;
  /** The identity of a future computer, for a machine of the warm pool. */
  identify(): MachineIdentity;
  /**
   * Uses such a machine once, as a client would, and keeps the connections for its computer, also
   * while the machine is paused.
   */
  prepare(machine: PreparedMachine, signal: AbortSignal): Promise<void>;
  /** Closes those connections: the machine is removed. */
  discard(id: string): void;
  /** Reports a failure of background work, in one line. */
  onProblem(message: string): void;
}

interface Work {
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

export interface BuildRequest extends Work {
  /** Name of a recipe. */
  readonly name: string;
  /** One of {@link EngineImages.methods}. */
  readonly method: string;
}

/** A disk file to make an image of. */
export interface ImportRequest extends Work {
  readonly name: string;
  readonly file: string;
  readonly os: Os;
  readonly firmware: 'bios' | 'uefi';
  /** How to log in over SSH; null: the disk has no SSH server. */
  readonly shell: { readonly user: string; readonly privateKey?: string } | null;
}

/** Managing an engine's images on this host, whether a service runs or not. */
export interface EngineImages {
  /** Ways to build an image; the first is the default. */
  readonly methods: readonly string[];
  /** Builds the part of an image that needs no engine. Idempotent. */
  prepare?(request: Work & Pick<BuildRequest, 'name'>): Promise<void>;
  /** Builds the image of a recipe. Idempotent. */
  build(stateDirectory: string, request: BuildRequest): Promise<EngineImage>;
  /** Removes an image and its templates. Throws `conflict` while computers need it. */
  remove(stateDirectory: string, name: string, signal: AbortSignal): Promise<void>;
  /** Makes an image of a bootable disk. */
  import?(stateDirectory: string, request: ImportRequest): Promise<EngineImage>;
  /** Makes the template of a shape unless there is one. */
  warm?(
    stateDirectory: string,
    shape: MachineShape,
    work: Work,
  ): Promise<{ readonly key: string; readonly isNew: boolean }>;
}

/** A Debian package that an engine needs. */
export interface SetupPackage {
  /**
   * Program, or absolute path of a file, that shows that the package is installed; of several, one is
   * enough.
   */
  readonly sign: string | readonly string[];
  /** Its name in Debian and Ubuntu. */
  readonly name: string;
  readonly purpose: string;
}

/** A command of the set-up, run as root. */
export interface SetupStep {
  readonly title: string;
  readonly argv: readonly [string, ...string[]];
  /** Group that the user joins: takes effect at the next login. */
  readonly group?: string;
  /** Subordinate ids that the user gets: FIRST-LAST. */
  readonly ids?: string;
}

/** Something on this host that `vc setup --remove` removes. */
export interface Leftover {
  /** `the image linux of Docker`. */
  readonly title: string;
  remove(signal: AbortSignal): Promise<void>;
}

/** What `vc setup --remove` undoes. It removes no computers, and nothing that computers need. */
export interface EngineRemoval {
  /** What still needs the engine, of any service on this host: `2 computers`. */
  usedBy(stateDirectory: string, signal: AbortSignal): Promise<string | undefined>;
  /** Undo the machine's steps, as root. Only what is exactly as they wrote it. */
  steps?(): Promise<readonly SetupStep[]>;
  /** What the set-up or services made in the engine, besides images. */
  leftovers?(stateDirectory: string, signal: AbortSignal): Promise<readonly Leftover[]>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The background process of an engine that has one. */
export interface EngineDaemon {
  /**
   * Does it answer, even if only to say that this user may not use it? True also for one on another
   * host, which is not ours to start.
   */
  isRunning(env: Environment, signal?: AbortSignal): Promise<boolean>;
  /** Ways to start it, in the order to try them. */
  starters(): Promise<readonly SetupStep[]>;
  /** Where its log is. */
  log(): Promise<string>;
}

export interface EngineSetup {
  readonly packages: readonly SetupPackage[];
  readonly daemon?: EngineDaemon;
  /** Only root can host computers with it. */
  readonly needsRoot?: true;
  /** What the machine still needs, besides packages. */
  machineSteps?(): Promise<readonly SetupStep[]>;
  /** What lets `user` use the engine; nothing when the user already may. */
  grants(user: string): Promise<readonly SetupStep[]>;
  readonly removal: EngineRemoval;
  /** What else has to be prepared once, when the daemon runs. */
  readonly configuration?: {
    /** Changes nothing. */
    isDone(stateDirectory: string): Promise<boolean>;
    /** Prepares it as the calling user. Idempotent. */
    run(stateDirectory: string, env: Environment, work: Work): Promise<void>;
  };
}

export type CheckResult =
  /** With a remedy: usable, but could be better. */
  | { readonly status: 'ok'; readonly detail: string; readonly remedy?: string | undefined }
  /** Usable, but out of date. */
  | { readonly status: 'stale'; readonly detail: string; readonly remedy: string }
  | { readonly status: 'missing'; readonly detail: string; readonly remedy: string }
  | { readonly status: 'skipped'; readonly detail: string };

export interface EngineCheck {
  readonly name: string;
  readonly title: string;
  run(stateDirectory: string, signal: AbortSignal): Promise<CheckResult>;
}
