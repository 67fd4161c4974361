import type Docker from 'dockerode';
import { ApiError } from '../../contract/errors.js';
import type { MachineSpec } from '../engine.js';
import { ask, askToMake, QUICK_MS, STEP_MS, untyped } from './client.js';
import { containerConfig, type Host } from './container-config.js';
import type { SocketDirectories } from './directory.js';
import { imageMissing, statusOf, wordsOf } from './errors.js';
import type { Firewall } from './firewall.js';
import type { HelperRunner } from './helper.js';
import { LABEL, machineName } from './ids.js';
import type { Networks } from './network.js';

export interface MachinesOptions {
  readonly docker: Docker;
  readonly serviceId: string;
  readonly networks: Networks;
  readonly firewall: Firewall;
  readonly helper: HelperRunner;
  /** `undefined` where the Engine does not see this machine's files. */
  readonly directories: SocketDirectories | undefined;
  readonly allowSudo: boolean;
  /** GiB that a machine may write, where the storage driver has quotas. */
  readonly diskGib: number;
}

/** A container, a network and a directory a machine; each step can be done again. */
export class Machines {
  readonly #options: MachinesOptions;
  readonly #docker: Docker;
  #cpus: Promise<number> | undefined;
  /** Turns false when the Engine says that its storage driver has none. */
  #quotas = true;

  constructor(options: MachinesOptions) {
    this.#options = options;
    this.#docker = options.docker;
  }

  async create(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    const { directories, networks } = this.#options;
    await directories?.create(spec.id);
    // The container names its network without its being there yet: both are made at once, and the
    // host's rules meanwhile. All have ended, well or not, before anything is said about them.
    const steps = await Promise.allSettled([
      this.#createContainer(spec, signal),
      networks.create(spec.id, signal),
      this.#closeNetworks(signal),
    ]);
    for (const step of steps) if (step.status === 'rejected') throw step.reason;
    signal?.throwIfAborted();
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    const container = this.#container(id);
    // A machine never runs with an open network.
    await this.#closeNetworks(signal);
    for (let repairs = 0; ; repairs++) {
      try {
        await unlessDone(ask(STEP_MS, signal, (abortSignal) => container.start({ abortSignal })));
        return;
      } catch (error) {
        if (statusOf(error) === undefined || isGone(error) || repairs === 2) throw error;
        await this.#repair(id, wordsOf(error), signal);
      }
    }
  }

  async stop(id: string, graceMs: number, signal?: AbortSignal): Promise<void> {
    const seconds = Math.ceil(graceMs / 1000);
    await ask(graceMs + STEP_MS, signal, (abortSignal) =>
      this.#container(id).stop({ t: seconds, abortSignal }),
    ).catch((error) => {
      if (statusOf(error) !== 304 && !isGone(error)) throw error;
    });
  }

  async remove(id: string, signal?: AbortSignal): Promise<void> {
    await this.#removeContainer(id, signal);
    const { networks, directories, helper } = this.#options;
    const steps = await Promise.allSettled([
      networks.remove(id, signal),
      directories?.remove(id, helper, signal),
    ]);
    for (const step of steps) if (step.status === 'rejected') throw step.reason;
  }

  /** Others may be waiting for the same: it goes on when this caller leaves. */
  #closeNetworks(signal: AbortSignal | undefined): Promise<void> {
    return ask(STEP_MS, signal, () => this.#options.firewall.ensure());
  }

  #container(id: string): Docker.Container {
    return this.#docker.getContainer(machineName(id));
  }

  /** A reboot takes what lay in /run, `docker network prune` the networks of stopped machines. */
  async #repair(id: string, words: string, signal: AbortSignal | undefined): Promise<void> {
    await this.#options.directories?.create(id);
    if (/network/i.test(words)) await this.#options.networks.restore(id, signal);
  }

  async #createContainer(spec: MachineSpec, signal: AbortSignal | undefined): Promise<void> {
    const host = await this.#host(spec.id);
    const config = containerConfig(spec, host);
    try {
      await askToMake(signal, (abortSignal) =>
        this.#docker.createContainer({ ...config, abortSignal }),
      );
    } catch (error) {
      if (host.diskGib !== undefined && /storage-opt|storage opt|quota/i.test(wordsOf(error))) {
        this.#quotas = false;
        await this.#createContainer(spec, signal);
      } else if (statusOf(error) === 409) await this.#isOurs(spec.id, signal);
      else if (statusOf(error) === 404) throw imageMissing(spec.image, error);
      else throw error;
    }
  }

  async #host(id: string): Promise<Host> {
    const { serviceId, allowSudo, directories, diskGib } = this.#options;
    this.#cpus ??= ask(QUICK_MS, undefined, (abortSignal) =>
      untyped(this.#docker).info({ abortSignal }),
    ).then(({ NCPU }) => NCPU);
    const cpus = await this.#cpus.catch((error) => {
      this.#cpus = undefined;
      throw error;
    });
    return {
      serviceId,
      cpus,
      allowSudo,
      socketDirectory: directories?.of(id),
      diskGib: this.#quotas ? diskGib : undefined,
    };
  }

  /** The container was made by an earlier call that did not live to say so. */
  async #isOurs(id: string, signal: AbortSignal | undefined): Promise<void> {
    const { Config } = await ask(QUICK_MS, signal, (abortSignal) =>
      this.#container(id).inspect({ abortSignal }),
    );
    if (Config.Labels[LABEL.service] === this.#options.serviceId) return;
    const message = `The Docker container ${machineName(id)} belongs to something else; remove it.`;
    throw new ApiError('internal', message);
  }

  async #removeContainer(id: string, signal: AbortSignal | undefined): Promise<void> {
    const remove = () =>
      ask(STEP_MS, signal, (abortSignal) =>
        this.#container(id).remove({ force: true, v: true, abortSignal }),
      );
    for (const end = Date.now() + STEP_MS; ; ) {
      try {
        await remove();
        return;
      } catch (error) {
        if (isGone(error)) return;
        // Somebody else is removing it: done when it is gone.
        if (statusOf(error) !== 409 || Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}

/** 304: it is what it should become. */
async function unlessDone(step: Promise<unknown>): Promise<void> {
  await step.catch((error) => {
    if (statusOf(error) !== 304) throw error;
  });
}
