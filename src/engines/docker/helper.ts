import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { ApiError } from '../../contract/errors.js';
import { ask, QUICK_MS, STEP_MS } from './client.js';
import { imageMissing, statusOf } from './errors.js';
import { imageTag, LABEL } from './ids.js';
import { listImages } from './images.js';

/** A program of our image, run once as root with the capabilities that it needs and no others. */
export interface HelperTask {
  readonly command: readonly string[];
  readonly capabilities: readonly string[];
  readonly network: 'host' | 'none';
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
}

/** Does what only the Engine's root can do, for a service that is an ordinary user. */
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

  /** Resolves when no helper runs, so that none is left behind. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #run(task: HelperTask, signal?: AbortSignal): Promise<HelperResult> {
    const config = await this.#config(task, signal);
    const container = await ask(STEP_MS, signal, (abortSignal) =>
      this.#docker.createContainer({ ...config, abortSignal }),
    );
    try {
      await ask(STEP_MS, signal, (abortSignal) => container.start({ abortSignal }));
      // After the start: one that has ended by then is answered at once.
      const ended = await ask(STEP_MS, signal, (abortSignal) =>
        container.wait({ condition: 'not-running', abortSignal }),
      );
      const { StatusCode } = ended as { StatusCode: number };
      return { code: StatusCode, output: await this.#output(container, signal) };
    } finally {
      await ask(STEP_MS, undefined, (abortSignal) =>
        container.remove({ force: true, v: true, abortSignal }),
      ).catch(() => undefined);
    }
  }

  /** Removes what helpers of an earlier, killed service left. */
  async clean(signal?: AbortSignal): Promise<void> {
    const filters = { label: [`${LABEL.helper}=${this.#serviceId}`] };
    const left = await ask(QUICK_MS, signal, (abortSignal) =>
      this.#docker.listContainers({ all: true, filters, abortSignal }),
    );
    for (const { Id } of left) {
      await ask(STEP_MS, signal, (abortSignal) =>
        this.#docker.getContainer(Id).remove({ force: true, v: true, abortSignal }),
      ).catch((error) => {
        if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
      });
    }
  }

  async #config(task: HelperTask, signal: AbortSignal | undefined) {
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
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        CapAdd: [...task.capabilities],
        SecurityOpt: ['no-new-privileges'],
        Memory: 256 * 2 ** 20,
        MemorySwap: 256 * 2 ** 20,
        PidsLimit: 32,
        LogConfig: {
          Type: 'local',
          Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' },
        },
        Mounts:
          task.directory === undefined
            ? []
            : [{ Type: 'bind' as const, Source: task.directory, Target: '/directory' }],
      },
    };
  }

  /** Any Linux image of ours has what helpers need. */
  async #image(signal: AbortSignal | undefined): Promise<string> {
    const images = await listImages(this.#docker, signal);
    const image = images.find(({ os }) => os === 'linux');
    if (image === undefined) throw imageMissing('linux');
    return imageTag(image.name);
  }

  async #output(container: Docker.Container, signal: AbortSignal | undefined): Promise<string> {
    const raw = await ask(QUICK_MS, signal, (abortSignal) =>
      container.logs({ stdout: true, stderr: true, follow: false, tail: 1000, abortSignal }),
    );
    return withoutFrames(raw).toString('utf8', 0, 65_536);
  }
}

/** Takes the frame headers of the Engine's stream format out of a log. */
function withoutFrames(raw: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + 8 <= raw.length; ) {
    const end = at + 8 + raw.readUInt32BE(at + 4);
    parts.push(raw.subarray(at + 8, end));
    at = end;
  }
  return Buffer.concat(parts);
}
