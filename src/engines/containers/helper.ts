import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import type { ContainerCreateOptions } from 'dockerode';
import { ApiError } from '../../contract/errors.js';
import { ask, QUICK_MS, STEP_MS } from './client.js';
import { dialectOf } from './dialect.js';
import { imageMissing } from './errors.js';
import { imageTag, LABEL } from './ids.js';
import { currentImages } from './images/list.js';
import { FrameReader } from './machine/frames.js';
import { listContainers, removeContainer } from './requests.js';

/** A program in our image, run once as root with only the given capabilities. */
export interface HelperTask {
  readonly command: readonly string[];
  readonly capabilities: readonly string[];
  readonly network: 'host' | 'none';
  /** The container whose processes it sees; by default it sees its own only. */
  readonly processesOf?: string;
  /** Mounted at `/directory`. */
  readonly directory?: string;
}

export interface HelperResult {
  readonly code: number;
  /** Standard output and error, the first 64 KiB. */
  readonly output: string;
}

export interface HelperRunner {
  run(task: HelperTask, signal?: AbortSignal): Promise<HelperResult>;
  /** The container that {@link run} makes. */
  config(task: HelperTask, signal?: AbortSignal): Promise<ContainerCreateOptions>;
}

/** Runs programs that need root on the Engine's host, for a service that is an ordinary user. */
export class Helpers implements HelperRunner {
  readonly #docker: Docker;
  readonly #serviceId: string;
  readonly #running = new Set<Promise<HelperResult>>();

  constructor(docker: Docker, serviceId: string) {
    this.#docker = docker;
    this.#serviceId = serviceId;
  }

  run(task: HelperTask, signal?: AbortSignal): Promise<HelperResult> {
    const running = this.#run(task, signal);
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Resolves when no helper runs. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #run(task: HelperTask, signal?: AbortSignal): Promise<HelperResult> {
    const config = await this.config(task, signal);
    const container = await ask(this.#docker, STEP_MS, signal, (abortSignal) =>
      this.#docker.createContainer({ ...config, abortSignal }),
    );
    try {
      await ask(this.#docker, STEP_MS, signal, (abortSignal) => container.start({ abortSignal }));
      // Returns at once for a container that has exited already.
      const ended = await ask(this.#docker, STEP_MS, signal, (abortSignal) =>
        container.wait({ condition: 'not-running', abortSignal }),
      );
      const { StatusCode } = ended as { StatusCode: number };
      return { code: StatusCode, output: await this.#output(container, signal) };
    } finally {
      await ask(this.#docker, STEP_MS, undefined, (abortSignal) =>
        container.remove({ force: true, v: true, abortSignal }),
      ).catch(() => undefined);
    }
  }

  /** Removes the helpers that a killed service left. */
  async clean(signal?: AbortSignal): Promise<void> {
    const filters = { label: [`${LABEL.helper}=${this.#serviceId}`] };
    const left = await listContainers(this.#docker, filters, signal);
    for (const { Id } of left) await removeContainer(this.#docker, Id, signal);
  }

  async config(task: HelperTask, signal?: AbortSignal): Promise<ContainerCreateOptions> {
    const [program, ...args] = task.command;
    if (program === undefined) throw new ApiError('internal', 'A helper needs a command.');
    return {
      name: `vc-helper-${randomBytes(6).toString('hex')}`,
      Image: await this.#image(signal),
      Entrypoint: [program],
      Cmd: args,
      User: '0:0',
      WorkingDir: '/',
      Labels: { [LABEL.helper]: this.#serviceId },
      Healthcheck: { Test: ['NONE'] },
      HostConfig: {
        NetworkMode: task.network,
        ...(task.processesOf === undefined ? {} : { PidMode: `container:${task.processesOf}` }),
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        CapAdd: [...task.capabilities],
        SecurityOpt: ['no-new-privileges'],
        Memory: 256 * 2 ** 20,
        MemorySwap: 256 * 2 ** 20,
        PidsLimit: 32,
        Ulimits: dialectOf(this.#docker).ulimits,
        LogConfig: dialectOf(this.#docker).logConfig,
        Mounts:
          task.directory === undefined
            ? []
            : [{ Type: 'bind' as const, Source: task.directory, Target: '/directory' }],
      },
    };
  }

  /** Any Linux image of ours: all contain the programs that helpers run. */
  async #image(signal: AbortSignal | undefined): Promise<string> {
    const images = await currentImages(this.#docker, signal);
    const image = images.find(({ os }) => os === 'linux');
    if (image === undefined) throw imageMissing('linux', dialectOf(this.#docker));
    return imageTag(image.name);
  }

  async #output(container: Docker.Container, signal: AbortSignal | undefined): Promise<string> {
    const raw = await ask(this.#docker, QUICK_MS, signal, (abortSignal) =>
      container.logs({ stdout: true, stderr: true, follow: false, tail: 1000, abortSignal }),
    );
    const parts: Buffer[] = [];
    new FrameReader((_, data) => parts.push(data)).read(raw);
    return Buffer.concat(parts).toString('utf8', 0, 65_536);
  }
}
