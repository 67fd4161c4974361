import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import type { MachineSpec } from '../../engine.js';
import { ask, askToMake, QUICK_MS, untyped } from '../client.js';
import { imageMissing, messageOf, statusOf } from '../errors.js';
import { LABEL, machineName } from '../ids.js';
import { allocateUser } from '../user/allocate.js';
import { UserFiles } from '../user/user-files.js';
import { containerConfig, type Host } from './container-config.js';
import type { SocketDirectories } from './directory.js';

export interface ContainerOptions {
  readonly docker: Docker;
  readonly serviceId: string;
  /** `undefined` where the Engine cannot see this host's files. */
  readonly directories: SocketDirectories | undefined;
  readonly allowSudo: boolean;
  readonly resolvesNames: boolean;
  /** Disk quota in GiB, if the storage driver supports quotas. */
  readonly diskGib: number;
}

/** A computer's, or one of the warm pool. */
export type MachineUse = 'computer' | 'spare';

interface EngineFacts {
  readonly cpus: number;
  /** User ids in containers are others on the host. */
  readonly isRemapped: boolean;
}

/** Creates machines' containers, each with a user of its own. */
export class ContainerCreation {
  readonly #options: ContainerOptions;
  readonly #docker: Docker;
  readonly #userFiles: UserFiles;
  #facts: Promise<EngineFacts> | undefined;
  /** False once the Engine has refused a disk quota. */
  #hasQuotas = true;

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.#docker = options.docker;
    this.#userFiles = new UserFiles(options.docker);
  }

  /** Idempotent: completes a creation that was interrupted. */
  async create(spec: MachineSpec, use: MachineUse, signal?: AbortSignal): Promise<void> {
    await this.#make(spec, use, signal);
    const { Id, Image, Config, State } = await ask(QUICK_MS, signal, (abortSignal) =>
      this.#docker.getContainer(machineName(spec.id)).inspect({ abortSignal }),
    );
    if (Config.Labels[LABEL.service] !== this.#options.serviceId) throw notOurs(spec.id);
    const id = Number(Config.Labels[LABEL.uid]);
    // Only before its first start: afterwards the files may have changed.
    if (State.Status !== 'created' || !id) return;
    await this.#userFiles.assign({ container: Id, image: Image, id }, signal);
  }

  /** Does nothing if a container of this name exists. */
  async #make(spec: MachineSpec, use: MachineUse, signal: AbortSignal | undefined): Promise<void> {
    const host = { ...(await this.#host(spec.id, signal)), isSpare: use === 'spare' };
    const config = containerConfig(spec, host);
    try {
      await askToMake(signal, (abortSignal) =>
        this.#docker.createContainer({ ...config, abortSignal }),
      );
    } catch (error) {
      if (host.diskGib !== undefined && /storage-opt|storage opt|quota/i.test(messageOf(error))) {
        this.#hasQuotas = false;
        await this.#make(spec, use, signal);
      } else if (statusOf(error) === 404) throw imageMissing(spec.image, error);
      else if (statusOf(error) !== 409) throw error;
    }
  }

  async #host(id: string, signal: AbortSignal | undefined): Promise<Omit<Host, 'isSpare'>> {
    const { serviceId, allowSudo, resolvesNames, directories, diskGib } = this.#options;
    this.#facts ??= engineFacts(this.#docker);
    const { cpus, isRemapped } = await this.#facts.catch((error) => {
      this.#facts = undefined;
      throw error;
    });
    return {
      serviceId,
      cpus,
      allowSudo,
      resolvesNames,
      uid: await allocateUser(this.#docker, isRemapped, signal),
      socketDirectory: directories?.forNew(id),
      diskGib: this.#hasQuotas ? diskGib : undefined,
    };
  }
}

async function engineFacts(docker: Docker): Promise<EngineFacts> {
  const { NCPU, SecurityOptions } = await ask(QUICK_MS, undefined, (abortSignal) =>
    untyped(docker).info({ abortSignal }),
  );
  const isRemapped = (SecurityOptions ?? []).some((text) => /^name=(userns|rootless)\b/.test(text));
  return { cpus: NCPU, isRemapped };
}

function notOurs(id: string): ApiError {
  const message = `The Docker container ${machineName(id)} does not belong to this service.`;
  const remedy = `docker rm --force ${machineName(id)}`;
  return new ApiError('internal', message, { remedy });
}
