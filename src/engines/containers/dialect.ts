import type Docker from 'dockerode';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { MachineUsage } from '../engine.js';

/** Why an engine cannot be used, and how to fix it. */
export interface Trouble {
  readonly reason: string;
  readonly remedy: string;
}

/** A machine's network: a bridge on the host with one container. */
export interface NetworkSpec {
  readonly name: string;
  readonly bridge: string;
  readonly subnet: string;
  /** The engine's own if undefined. */
  readonly mtu?: number | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

export interface EngineVersion {
  readonly Version: string;
  /** The system of its containers. */
  readonly Os: string;
}

export interface EngineFacts {
  readonly cpus: number;
  /** User ids in containers are others on the host. */
  readonly isRemapped: boolean;
}

/** Limits that can be changed. */
export interface Limits {
  /** Weight of processor time. */
  readonly shares?: number;
  readonly cpus?: number;
  /** Bytes, without swap. */
  readonly memory?: number;
}

/** A machine image to make of a root file system. */
export interface RootfsImage {
  /** The path of an uncompressed tarball. */
  readonly tarball: string;
  readonly config: {
    readonly Labels: Readonly<Record<string, string>>;
    readonly Env: readonly string[];
    readonly User: string;
    readonly WorkingDir: string;
    readonly Cmd: readonly string[];
  };
}

/** What differs between the engines that speak Docker's API. */
export interface Dialect {
  /** The engine's name: the value of `--engine`. */
  readonly name: string;
  readonly title: string;
  /** For messages: `Docker Engine`. */
  readonly engine: string;
  /** Its command line. */
  readonly program: string;
  /** Nothing listens on its socket. */
  readonly silent: Trouble;
  /** How to start it, if this program is installed. */
  readonly start?: { readonly program: string; readonly command: string };
  /** This user may not use it. */
  readonly denied: Trouble;
  /** A command that restarts it. */
  readonly restart: string;
  /**
   * Each container has a range of host ids of its own, so that the image's user is another one on the
   * host in each. Otherwise every container gets another user id, and the user's files too.
   */
  readonly mapsUsers: boolean;
  /** Containers ask a resolver of the engine, which asks the host's name servers. */
  readonly hasResolver: boolean;
  /** It mounts the file system of a container that does not run to make an image of it. */
  readonly mountsToCommit: boolean;
  /**
   * It reads the file of an image that it imports. An upload is written to its temporary directory, and
   * stays there: podman-container-tools/podman#28531.
   */
  readonly readsImports: boolean;
  /** A container can only be created when its network exists. */
  readonly needsNetworkFirst: boolean;
  version(docker: Docker, abortSignal: AbortSignal): Promise<EngineVersion>;
  facts(docker: Docker, abortSignal: AbortSignal): Promise<EngineFacts>;
  /** Resolves when the engine can be asked, for one that the service starts itself. */
  ready?(): Promise<void>;
  /** If an error means that the removal of a container has not ended: its id. */
  halfRemoved?(error: unknown): string | undefined;
  /** True if a list of images was refused because one of them was removed meanwhile. */
  imageRemoved?(error: unknown): boolean;
  /** A quicker way than Docker's API, for one that the service starts itself. Returns the image's id. */
  importRootfs?(image: RootfsImage, signal: AbortSignal | undefined): Promise<string>;
  /** Ends what {@link ready} has started. */
  close?(): void;
  /** Limits of a container that asks for none. */
  readonly ulimits: HostConfig['Ulimits'];
  /** Limits a container's log to 1 MB. */
  readonly logConfig: HostConfig['LogConfig'];
  /** A machine's container, in the form that the engine understands. */
  adapt(config: ContainerCreateOptions): ContainerCreateOptions;
  /** Completes the start of a container whose first process is `pid`. */
  started?(pid: number, abortSignal: AbortSignal): Promise<void>;
  /** Changes limits of a running container; those that are missing stay. */
  setLimits(
    docker: Docker,
    container: string,
    limits: Limits,
    abortSignal: AbortSignal,
  ): Promise<unknown>;
  /**
   * For an engine that {@link mapsUsers}: the host's id of a container's root. Files that the container
   * has changed belong to it and the ids that follow it.
   */
  firstHostId?(docker: Docker, container: string, abortSignal: AbortSignal): Promise<number>;
  createNetwork(docker: Docker, spec: NetworkSpec, abortSignal: AbortSignal): Promise<unknown>;
  /** A quicker way than Docker's API; undefined if the container does not run. */
  usage?(
    docker: Docker,
    container: string,
    abortSignal: AbortSignal,
  ): Promise<MachineUsage | undefined>;
}

const dialects = new WeakMap<Docker, Dialect>();

/** Makes `dialect` the one of all requests through this client. */
export function speak(docker: Docker, dialect: Dialect): Docker {
  dialects.set(docker, dialect);
  return docker;
}

export function dialectOf(docker: Docker): Dialect {
  const dialect = dialects.get(docker);
  if (dialect === undefined) throw new Error('the client has no dialect');
  return dialect;
}
