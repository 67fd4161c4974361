import type { Duplex } from 'node:stream';
import type { ComputerNetwork, RefusedName } from '../contract/resources/network.js';

/** How strongly a machine is kept apart from its host. `emulated` is a VM without hardware help. */
export type Isolation = 'container' | 'vm' | 'emulated';

export type Os = 'linux' | 'windows';

/** Properties of an engine, known before it creates a machine; callers never compare names. */
export interface EngineCapabilities {
  /** Guest systems that it can run. */
  readonly os: readonly Os[];
  /** GPU names that it can lend to a machine. */
  readonly gpus: readonly string[];
  /** The isolation of a machine that nothing else is known of. */
  readonly isolation: Isolation;
}

/** What one machine is and can do: an engine may have machines of several kinds. */
export interface MachineDescription {
  readonly isolation: Isolation;
  /**
   * How a screen's pixels travel at the least cost: `raw` where they are copied within memory,
   * `hextile` where every byte has to be taken out of a guest.
   */
  readonly pixels: 'raw' | 'hextile';
  /** How to log in; undefined when its image has no SSH server. */
  readonly shell?: ShellAccess;
  /** What its desktop runs: X11 programs, Windows programs on Wine, or another operating system. */
  readonly programs: 'x11' | 'wine' | 'native';
}

/** Everything an engine needs to make a machine. Plain data; nothing in it is ever given to a shell. */
export interface MachineSpec {
  /** Generated id, `[a-z0-9_]{1,40}`: the only text that names things on the host. */
  readonly id: string;
  /** Who owns it, as ids; the engine stores both so that {@link Engine.list} can return them. */
  readonly ownerId: string;
  readonly projectId: string;
  readonly os: Os;
  /** The image's name, for example `linux`; the engine resolves it to what it has stored. */
  readonly image: string;
  /** Cores. */
  readonly cpu: number;
  /** Memory in GiB. */
  readonly ram: number;
  readonly gpu: string;
  /** Screen size in pixels. */
  readonly resolution: { readonly width: number; readonly height: number };
  /** Public key in OpenSSH format that the guest's SSH server accepts for its user. */
  readonly authorizedKey: string;
  /** The guest's host name, `[a-z0-9-]{1,63}`. */
  readonly hostName: string;
  /** Where to create it, for an engine with members; without either the engine chooses. */
  readonly placement?: MachinePlacement | undefined;
  /** False: its user cannot become root. Otherwise that is as the engine allows. */
  readonly sudo?: boolean;
  /** For an engine that is {@link Labelling}. */
  readonly label?: MachineLabel | undefined;
  /** For an engine that is {@link Snapshotting}: the saved disk to start from, in place of `image`. */
  readonly from?: DiskSource | undefined;
  /** For an engine that is {@link Mounting}. */
  readonly volumes?: readonly MachineVolume[];
}

/** A volume, by the id that the service has generated, and where it is in the machine. */
export interface MachineVolume {
  readonly id: string;
  /** Absolute and normalized. */
  readonly path: string;
  readonly readOnly: boolean;
}

/** What can be changed of a machine that was made. */
export type MachineSize = Pick<MachineSpec, 'cpu' | 'ram' | 'resolution'>;

/** A saved disk, by the id that the service has generated: `[a-z0-9_]{1,40}`. */
export interface DiskSource {
  readonly id: string;
  readonly kind: 'snapshot' | 'image';
}

/**
 * Text by name, `[a-z_]+`, none of it empty. It is stored with a machine outside its guest, which can
 * neither read nor change it.
 */
export type MachineLabel = Readonly<Record<string, string>>;

export type MachinePlacement = { readonly member: string } | { readonly group: string };

/** `unreachable`: the engine cannot tell at present; the machine may well run. */
export type MachineStatus = 'running' | 'stopped' | 'error' | 'unreachable';

/** A machine as the engine sees it. */
export interface MachineState {
  readonly id: string;
  readonly status: MachineStatus;
  /** Why, when `status` is `error` or `unreachable`, or `stopped` by another; one line for a user. */
  readonly reason?: string;
  /**
   * When `status` is `unreachable`: the cluster has only the copy of a move to another member. The next
   * step completes the move if it was interrupted.
   */
  readonly isMoving?: true;
  /** The member that it is on, for an engine with members. */
  readonly member?: string;
  /** Its label and the key that it was made with, for an engine that is {@link Labelling}. */
  readonly label?: MachineLabel;
  readonly authorizedKey?: string;
}

/** Something happened to a machine, perhaps behind the service's back: its present state. */
export type MachineEvent = MachineState | { readonly id: string; readonly status: 'gone' };

/** Can this engine be used here? If not: why, and how to fix it. */
export type Probe =
  | { readonly usable: true; readonly version: string; readonly detail: string }
  | { readonly usable: false; readonly reason: string; readonly remedy: string };

export interface EngineImage {
  /** The engine's own id of the image, if it has one. */
  readonly id?: string;
  readonly name: string;
  readonly os: Os;
  /** Hash of the recipe it was made from, hexadecimal, if it was built from one. */
  readonly recipeHash?: string;
  readonly bytes: number;
  readonly createdAt: Date;
}

/** What machines that start from the same template have in common. */
export interface MachineShape {
  /** The image's name. */
  readonly image: string;
  readonly cpu: number;
  /** GiB */
  readonly ram: number;
  readonly resolution: { readonly width: number; readonly height: number };
}

/** A booted machine saved to start others of its shape from. */
export interface Template extends MachineShape {
  readonly key: string;
  readonly os: Os;
  /** On the disk, without the image. */
  readonly bytes: number;
  readonly createdAt: Date;
  /** Made from an image or with a version of the engine that has changed: no longer used. */
  readonly stale: boolean;
}

/** A machine that no computer owns yet; using it once makes it fast for its later owner. */
export interface WarmUp {
  dial(channel: Channel): Promise<Duplex>;
  /** Undefined when its image has no SSH server. */
  readonly access: (ShellAccess & { readonly privateKey: string }) | undefined;
  readonly pixels: MachineDescription['pixels'];
  readonly signal: AbortSignal;
}

/** The two byte streams of every machine: `screen` speaks RFB, `shell` speaks SSH. */
export type Channel = 'screen' | 'shell';

/** How to log in over the `shell` channel. */
export interface ShellAccess {
  readonly user: string;
  /** OpenSSH private key of a user's own disk; absent: the key that the machine was made with. */
  readonly privateKey?: string;
}

/**
 * A machine's lifecycle and its two streams; everything else is written once above it.
 *
 * Every lifecycle call is idempotent: calling it again after a crash at any point finishes the
 * work or changes nothing. Errors are {@link ApiError}s: `engine_unavailable` when the engine
 * itself cannot be reached, `image_missing` when the image does not exist.
 */
export interface Engine {
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  /** What a machine is and can do; it stays the same until the machine is started again. */
  describe(id: string, signal?: AbortSignal): Promise<MachineDescription>;
  /** Answers within a few seconds, in any state of the engine. Never throws. */
  probe(signal?: AbortSignal): Promise<Probe>;
  /** Makes the machine without starting it. Idempotent by `spec.id`. */
  create(spec: MachineSpec, signal?: AbortSignal): Promise<void>;
  /**
   * Starts it. An engine whose guests are resumed from a saved state may call `onRunning` as soon as
   * the processors run: the screen can be dialled from then on, while the rest is still being done.
   */
  start(id: string, signal?: AbortSignal, onRunning?: () => void): Promise<void>;
  /** Changes the host name from the next start on. Absent: it stays as it was created. */
  setHostName?(id: string, hostName: string): Promise<void>;
  /**
   * Changes the size of a machine from its next start on. `now`: a running one has the processors and the
   * memory at once, but no other screen. Called before each start of a machine that it was called for.
   */
  resize(id: string, size: MachineSize, signal?: AbortSignal): Promise<'now' | 'next start'>;
  /** Asks the guest to end and ends it by force after `graceMs` milliseconds. The disk stays. */
  stop(id: string, graceMs: number, signal?: AbortSignal): Promise<void>;
  /** Ends it if it runs; afterwards nothing of the machine is left: no disk, network or socket. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
  /** Every machine that carries this service's label: the truth for reconciliation. */
  list(signal?: AbortSignal): Promise<MachineState[]>;
  /** State changes as they happen; ends with the signal, throws when the engine becomes unavailable. */
  watch(signal: AbortSignal): AsyncIterable<MachineEvent>;
  /** Opens a stream to a running machine. The caller owns and destroys it. */
  dial(id: string, channel: Channel, signal?: AbortSignal): Promise<Duplex>;
  /** The images that machines can be made from. */
  images(signal?: AbortSignal): Promise<EngineImage[]>;
  /** Hash of the recipe `image` as it is now; undefined when there is no such recipe. */
  recipeHash(image: string): Promise<string | undefined>;
  templates?(): Promise<Template[]>;
  /** Removes the data of an owner whose machines have been removed. Idempotent. */
  forgetOwner?(ownerId: string): Promise<void>;
  /** Waits for the engine's background work; the machines keep running. */
  close?(): Promise<void>;
}

/** What to save; see {@link Snapshotting.save}. */
export interface SaveRequest extends DiskSource {
  readonly ownerId: string;
  /**
   * Saves the memory of a running machine too, if the engine can. `required`: throws `unsupported` if that
   * engine cannot save the memory of this machine.
   */
  readonly memory: boolean | 'required';
  /** For the copies of a fork, which wait for it: it may take more space, and less time. */
  readonly forCopies?: boolean;
  /** Saves this disk, which was saved from the machine, in place of the machine's present one. */
  readonly of?: DiskSource;
}

/** A disk that the engine keeps for a snapshot, an image or the copies of a fork. */
export interface SavedDisk extends DiskSource {
  /** The machine that it was saved from. */
  readonly machine: string;
  /** What it takes beyond the disk that it builds on. */
  readonly bytes: number;
  /** Whether it holds the memory of a machine that ran. */
  readonly memory: boolean;
}

/**
 * An engine that saves the disks of machines, and makes and resets machines from them. A fork is a saved
 * disk and machines made from it ({@link MachineSpec.from}).
 */
export interface Snapshotting {
  /** About how many milliseconds a save of an image takes, if that is long beside a step of a build. */
  readonly saveMs?: number;
  /** Saves the disk of a machine. A running one runs on. Idempotent by `request.id`. */
  save(machine: string, request: SaveRequest, signal?: AbortSignal): Promise<SavedDisk>;
  /** Every saved disk that carries this service's label: the truth for reconciliation. */
  savedDisks(signal?: AbortSignal): Promise<SavedDisk[]>;
  /** Idempotent. Its data stays as long as machines or other saved disks build on it. */
  removeSaved(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * Puts a machine back to `spec.from`, or to its image as it was when the machine was made, and leaves it
   * stopped; {@link Engine.start} continues with the memory of a saved disk that has one. Its id, host
   * name, address and user stay. Idempotent: one that was interrupted is done again.
   */
  reset(spec: MachineSpec, signal?: AbortSignal): Promise<void>;
}

export function isSnapshotting(engine: Engine): engine is Engine & Snapshotting {
  return 'save' in engine;
}

/**
 * An engine that stores labels with its machines. A service that does not know a machine restores the
 * row of its computer from the label.
 */
export interface Labelling {
  /** Adds to the label of a machine, and replaces what has another text. */
  setLabel(id: string, label: MachineLabel, signal?: AbortSignal): Promise<void>;
  /** Has a machine accept this key in place of the one that it was made with; it may run. */
  setAuthorizedKey(id: string, key: string, signal?: AbortSignal): Promise<void>;
}

export function isLabelling(engine: Engine): engine is Engine & Labelling {
  return 'setLabel' in engine;
}

/**
 * An engine with a way to programs in a machine that is shorter than its `shell` channel. Large files
 * take it; SFTP is used where there is none.
 */
export interface Connecting {
  /** A directory of every machine in which programs of its user can create sockets. */
  readonly socketDirectory: string;
  /**
   * Connects to the unix socket `name` there. The guest controls the directory, so any of its programs
   * may be at the other end. Undefined if this machine cannot be reached so.
   */
  connect(id: string, name: string, signal?: AbortSignal): Promise<Duplex | undefined>;
}

export function isConnecting(engine: Engine): engine is Engine & Connecting {
  return 'connect' in engine;
}

/** What machines may reach, by their ids; those that are not in it may reach all that the engine allows. */
export type MachineNetworks = ReadonlyMap<string, ComputerNetwork>;

/**
 * An engine that restricts what single machines reach, within what it allows all of them. Before each
 * start it asks for the machine's network (`ServiceSettings.networks`), which holds from the first packet.
 */
export interface Restricting {
  /** Throws `unsupported` if this host, or an image, cannot restrict machines to this. */
  checkNetwork(network: ComputerNetwork, signal?: AbortSignal): Promise<void>;
  /** Resolves when the present network of the machine is in force, if it runs. Idempotent. */
  applyNetwork(id: string, signal?: AbortSignal): Promise<void>;
  /** The names that the present list of the machine has refused. */
  refusedNames(id: string, signal?: AbortSignal): Promise<RefusedName[]>;
}

export function isRestricting(engine: Engine): engine is Engine & Restricting {
  return 'applyNetwork' in engine;
}

/**
 * An engine that keeps volumes: directories that several machines mount ({@link MachineSpec.volumes}), in
 * each of which files have the owners that the other machines see. They are in no saved disk. Ids are
 * as those of machines.
 */
export interface Mounting {
  /** Idempotent by id. Throws `unsupported` if this engine or host cannot have volumes. */
  createVolume(volume: NewVolume, signal?: AbortSignal): Promise<void>;
  /** Idempotent. No machine mounts it. */
  removeVolume(id: string, signal?: AbortSignal): Promise<void>;
  /** What its files take. */
  volumeBytes(id: string, signal?: AbortSignal): Promise<number>;
}

/** A volume to create, with the generated id that names it. */
export interface NewVolume {
  readonly id: string;
  /** Where it is created, for an engine with members: only machines on this one can mount it. */
  readonly member?: string | undefined;
}

export function isMounting(engine: Engine): engine is Engine & Mounting {
  return 'createVolume' in engine;
}

/** The processor and memory use of a running machine. */
export interface MachineUsage {
  /** Processor time since the machine was started. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

export interface DiskUsage {
  /** Bytes written to the machine's disk, without its image. */
  readonly diskBytes: number;
  /** How large its disk can become, if that is limited. */
  readonly diskTotalBytes?: number;
}

/** An engine that measures its machines. Throws `not_running` for one that does not run. */
export interface Measuring {
  /** Cheap: asked for each running machine every 30 seconds. */
  usage(id: string, signal?: AbortSignal): Promise<MachineUsage>;
  /** Can take seconds: the engine may have to read a whole directory tree. */
  diskUsage(id: string, signal?: AbortSignal): Promise<DiskUsage>;
}

export function isMeasuring(engine: Engine): engine is Engine & Measuring {
  return 'usage' in engine;
}
