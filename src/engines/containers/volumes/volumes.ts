import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { MountConfig } from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import type { MachineVolume } from '../../engine.js';
import { assertMachineId } from '../../machine-id.js';
import { USER_IDS } from '../../user-ids.js';
import { FILES, runTool, unlessMissing, VolumeDirectories } from '../../volumes/directories.js';
import { isRemote } from '../client.js';
import { dialectOf } from '../dialect.js';
import { messageOf } from '../errors.js';
import { IMAGE_ID } from '../user/user-files.js';
import { attributesOf, type IdRange, idMap, MOUNT } from './mount-script.js';

/** User ids of a container. Files of other users belong to `nobody`. */
const IDS = 65_536;
/** Ends the name of a mount that cannot be written. */
const READ_ONLY = '-ro';
/** Mounts that a killed service may have left on one directory. */
const MOST_MOUNTS = 16;

/** Ids on disk are seen as others on the host: the image's user as the user of a machine. */
export function idsOfUser(user: number): readonly IdRange[] {
  const next = IMAGE_ID + 1;
  return [
    { disk: 0, seen: 0, count: IMAGE_ID },
    { disk: IMAGE_ID, seen: user, count: 1 },
    { disk: next, seen: next, count: IDS - next },
  ];
}

/** The same for a machine in a user namespace, whose ids begin with `first` on the host. */
export function idsOfNamespace(first: number): readonly IdRange[] {
  return [{ disk: 0, seen: first, count: IDS }];
}

/**
 * Volumes: a directory each, `volumes/<id>/files`, in which files have the ids that the image knows: 0 for
 * root, 1000 for its user. Each machine has a mount of its own with the ids that it has on the host,
 * `volume-mounts/<machine>/<id>`, of which its container mounts `files`.
 *
 * Where the mount is missing, there are no `files`: the Engine refuses to start the container, for example
 * after a reboot, and nothing is written to another place. The empty directories stay as long as the
 * machine: they say what it mounts.
 */
export class Volumes {
  readonly #docker: Docker;
  readonly #directories: VolumeDirectories;
  readonly #mounts: string;

  /** @param directory the state directory of the service */
  constructor(docker: Docker, directory: string) {
    this.#docker = docker;
    this.#directories = new VolumeDirectories(join(directory, 'volumes'));
    this.#mounts = join(directory, 'volume-mounts');
  }

  /**
   * Idempotent. Throws `unsupported` where machines could not mount it.
   * @param isRemapped of the Engine's facts
   */
  async create(id: string, isRemapped: boolean, signal?: AbortSignal): Promise<void> {
    this.#refuse(isRemapped);
    await this.#directories.create(id, IMAGE_ID);
    const directory = this.#directories.of(id);
    const trial = join(directory, 'trial');
    await mkdir(trial, { recursive: true });
    const ids = idsOfUser(USER_IDS.docker.first);
    try {
      await mount({ directory, target: trial, readOnly: true, ids }, signal);
    } finally {
      await unmount(trial);
      await rmdir(trial);
    }
  }

  remove(id: string, signal?: AbortSignal): Promise<void> {
    return this.#directories.remove(id, signal);
  }

  bytes(id: string, signal?: AbortSignal): Promise<number> {
    return this.#directories.bytes(id, signal);
  }

  /** What the container of a machine mounts. */
  binds(machine: string, volumes: readonly MachineVolume[] = []): MountConfig {
    return volumes.map((volume) => ({
      Type: 'bind',
      Source: join(this.#target(machine, volume), FILES),
      Target: volume.path,
      BindOptions: { Propagation: 'rprivate' },
    }));
  }

  /**
   * Runs `work`, which creates the container of a machine. The Engine wants to see what the container is
   * to mount, and may write to it: it gets empty directories in memory.
   */
  async whileCreating<T>(
    machine: string,
    volumes: readonly MachineVolume[] = [],
    work: () => Promise<T>,
  ): Promise<T> {
    if (volumes.length === 0) return work();
    const targets = volumes.map((volume) => this.#target(machine, volume));
    await mkdir(this.#mounts, { recursive: true, mode: 0o700 });
    try {
      for (const target of targets) {
        await mkdir(target, { recursive: true });
        await unmount(target);
        await runTool('mount', ['-t', 'tmpfs', '-o', 'size=128m,mode=0700', 'vc', target]);
        await mkdir(join(target, FILES));
      }
      return await work();
    } catch (error) {
      throw this.explain(error);
    } finally {
      for (const target of targets) await unmount(target);
    }
  }

  /** Makes the mounts of a machine again: before each start of its container. */
  async prepare(
    machine: string,
    idsOf: () => Promise<readonly IdRange[]>,
    signal?: AbortSignal,
  ): Promise<void> {
    const names = await this.#namesOf(machine);
    if (names.length === 0) return;
    const ids = await idsOf();
    for (const name of names) {
      const readOnly = name.endsWith(READ_ONLY);
      const id = readOnly ? name.slice(0, -READ_ONLY.length) : name;
      await this.#directories.check(id);
      const directory = this.#directories.of(id);
      const target = join(this.#mounts, machine, name);
      await unmount(target);
      await mount({ directory, target, readOnly, ids }, signal);
    }
  }

  /** Removes the mounts of a machine whose container was removed. Idempotent. */
  async release(machine: string): Promise<void> {
    const directory = join(this.#mounts, machine);
    for (const name of await this.#namesOf(machine)) {
      await unmount(join(directory, name));
      await rmdir(join(directory, name));
    }
    await rmdir(directory).catch(unlessMissing);
  }

  /** The error to show for one of the Engine, which may run where it does not see the mounts. */
  explain(error: unknown): unknown {
    if (!messageOf(error).includes(`${this.#mounts}/`)) return error;
    const { engine } = dialectOf(this.#docker);
    const message = `The ${engine} does not see the volumes that the service has mounted.`;
    const remedy = 'Run the service and the engine in one mount namespace, with shared mounts.';
    return new ApiError('unsupported', message, { remedy, cause: error });
  }

  #target(machine: string, { id, readOnly }: Omit<MachineVolume, 'path'>): string {
    assertMachineId(machine);
    assertMachineId(id);
    return join(this.#mounts, machine, readOnly ? id + READ_ONLY : id);
  }

  /** Names of a machine's mounts. */
  async #namesOf(machine: string): Promise<readonly string[]> {
    assertMachineId(machine);
    return readdir(join(this.#mounts, machine)).catch((error) => {
      unlessMissing(error);
      return [];
    });
  }

  #refuse(isRemapped: boolean): void {
    const { title } = dialectOf(this.#docker);
    const isHere = !isRemote(this.#docker) && process.platform === 'linux';
    const reason = isRemapped
      ? `${title} runs in a user namespace`
      : !isHere || process.getuid?.() !== 0
        ? 'the service is not root on the host of the engine'
        : undefined;
    if (reason === undefined) return;
    throw new ApiError('unsupported', `There are no volumes on ${title} here: ${reason}.`, {
      remedy: `Run the service as root on the host of ${title}, which uses no other user ids.`,
    });
  }
}

interface VolumeMount {
  readonly directory: string;
  readonly target: string;
  readonly readOnly: boolean;
  readonly ids: readonly IdRange[];
}

async function mount(
  { directory, target, readOnly, ids }: VolumeMount,
  signal?: AbortSignal,
): Promise<void> {
  const attributes = `${attributesOf({ readOnly })}`;
  const argv = ['-e', MOUNT, '--', directory, target, attributes, idMap(ids)];
  await runTool('perl', argv, signal).catch((cause: unknown) => {
    signal?.throwIfAborted();
    const { stderr = '' } = cause as { readonly stderr?: string };
    const reason = stderr.trim() || errorMessage(cause);
    const message = `The directory of the volumes cannot be mounted with other owners: ${reason}.`;
    throw new ApiError('unsupported', message, {
      remedy:
        'Run the service with Linux 5.12 or later, its state directory on ext4, xfs or btrfs, and with the right to mount.',
      cause,
    });
  });
}

/** Idempotent. */
async function unmount(target: string): Promise<void> {
  for (let done = 0; done < MOST_MOUNTS; done++) {
    try {
      await runTool('umount', ['--lazy', '--', target]);
    } catch (error) {
      if (/not mounted|no mount point/.test(errorMessage(error))) return;
      throw error;
    }
  }
}
