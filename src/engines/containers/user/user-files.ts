import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { withAnySignal } from '../../../lib/async/abort.js';
import { firstFile, readTar, replaceOwner, TAR_END, tarEntry } from '../../tar.js';
import { ask, QUICK_MS, STEP_MS } from '../client.js';
import { unpackFiles } from '../saved/layer-files.js';

/** Uid and gid of `user` in our images. */
export const IMAGE_ID = 1000;

/** The files of an image that concern its user. */
interface ImageFiles {
  /** `/home`, as an archive with names relative to `/`. */
  readonly home: Buffer;
  readonly passwd: string;
  readonly group: string;
  /** {@link PARENTS} are directories with the usual mode, and no links. */
  readonly isUsual: boolean;
}

/** Directories with files that are written again. */
const PARENTS = ['etc/', 'var/', 'var/lib/', 'run/', 'run/user/'];
/** Of a directory, as the Engine states it. */
const USUAL_MODE = 2 ** 31 + 0o755;

/** An image's home directory may have this size. */
const MAX_BYTES = 64 * 2 ** 20;
/** Images whose files are kept in memory. */
const MAX_IMAGES = 4;

/** A container that has never been started. If its image is not known, it must be unmodified. */
interface NewContainer {
  readonly container: string;
  readonly image: string;
  /** Its upper directory; undefined if only the Engine can write there. */
  readonly directory: string | undefined;
  /** The user's new uid and gid. */
  readonly id: number;
}

/**
 * Gives containers a user of their own: the user of the image gets another id in `/etc/passwd` and
 * `/etc/group`, and its files are written again with that id as their owner. That is done for a container
 * that has not started; a program inside would need root.
 */
export class UserFiles {
  readonly #docker: Docker;
  readonly #images = new Map<string, ImageFiles>();

  constructor(docker: Docker) {
    this.#docker = docker;
  }

  /** Whether `assign` needs no new container of this image, whose files are still the image's. */
  knows(image: string): boolean {
    return this.#images.has(image);
  }

  /** Remembers the files of an image. `container` is a new one, without volumes. */
  async learn(
    { container, image }: { readonly container: string; readonly image: string },
    signal?: AbortSignal,
  ): Promise<void> {
    this.#keep(image, await this.#read(container, signal));
  }

  /** Idempotent. */
  async assign(
    { container, image, directory, id }: NewContainer,
    signal?: AbortSignal,
  ): Promise<void> {
    const files = this.#images.get(image) ?? (await this.#read(container, signal));
    this.#keep(image, files);
    // Faster than an upload, for which the Engine starts a process.
    if (directory && files.isUsual && (await this.#unpack(files, id, directory, signal))) return;
    await ask(this.#docker, STEP_MS, signal, (abortSignal) =>
      this.#docker
        .getContainer(container)
        .putArchive(Readable.from(archiveFor(files, id)), { path: '/', abortSignal }),
    );
  }

  /** False if it has failed: then the Engine can do it, or says why not. */
  async #unpack(
    files: ImageFiles,
    id: number,
    directory: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    try {
      await withAnySignal([signal, AbortSignal.timeout(STEP_MS)], (own) =>
        unpackFiles(archiveFor(files, id, PARENTS), directory, own),
      );
      return true;
    } catch {
      signal?.throwIfAborted();
      return false;
    }
  }

  async #read(container: string, signal: AbortSignal | undefined): Promise<ImageFiles> {
    const get = (path: string) =>
      ask(this.#docker, QUICK_MS, signal, async (abortSignal) =>
        collect(await this.#docker.getContainer(container).getArchive({ path, abortSignal })),
      );
    const [home, passwd, group, ...parents] = await Promise.all([
      get('/home'),
      get('/etc/passwd'),
      get('/etc/group'),
      ...PARENTS.map((path) => this.#modeOf(container, `/${path.slice(0, -1)}`, signal)),
    ]);
    return {
      home,
      passwd: firstFile(passwd).toString(),
      group: firstFile(group).toString(),
      isUsual: parents.every((mode) => mode === USUAL_MODE),
    };
  }

  /** Of a file in a container, or of a link; undefined if the Engine does not say it. */
  async #modeOf(
    container: string,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<number | undefined> {
    try {
      const answer = (await ask(this.#docker, QUICK_MS, signal, (abortSignal) =>
        this.#docker.getContainer(container).infoArchive({ path, abortSignal }),
      )) as unknown as IncomingMessage;
      answer.resume();
      const stated = Buffer.from(`${answer.headers['x-docker-container-path-stat']}`, 'base64');
      return JSON.parse(stated.toString()).mode;
    } catch {
      signal?.throwIfAborted();
      return undefined;
    }
  }

  #keep(image: string, files: ImageFiles): void {
    this.#images.delete(image);
    this.#images.set(image, files);
    const [oldest] = this.#images.keys();
    if (oldest !== undefined && this.#images.size > MAX_IMAGES) this.#images.delete(oldest);
  }
}

/** Unpacked at `/`; with `parents` where they are not there yet. */
function* archiveFor(
  { home, passwd, group }: ImageFiles,
  id: number,
  parents: readonly string[] = [],
): Generator<Buffer> {
  const inPasswd = passwd.replace(/^user:([^:]*):1000:1000:/m, `user:$1:${id}:${id}:`);
  const inGroup = group.replace(/^user:([^:]*):1000:/m, `user:$1:${id}:`);
  for (const name of parents) yield tarEntry(name, 0o755, 0);
  yield tarEntry('etc/passwd', 0o644, 0, Buffer.from(inPasswd));
  yield tarEntry('etc/group', 0o644, 0, Buffer.from(inGroup));
  // Empty in the image.
  yield tarEntry('var/lib/vc/', 0o700, id);
  yield tarEntry('run/user/1000/', 0o700, id);
  for (const { header, content } of readTar(home)) {
    yield replaceOwner(header, IMAGE_ID, id);
    if (content.length > 0) yield content;
  }
  yield TAR_END;
}

async function collect(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      const message = `The image's home directory has more than ${MAX_BYTES / 2 ** 20} MiB.`;
      throw new ApiError('internal', message);
    }
  }
  return Buffer.concat(chunks);
}
