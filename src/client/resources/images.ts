import type { Answer, BodyInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import type { ComputerHandle } from '../computer/computer.js';
import type { ComputerAddress } from '../http/address.js';
import { buildImage, type ImageBuildOptions } from './image-build.js';

/** What computers are made from: the images of every engine, those for all owners, and the owner's own. */
export class Images {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The images, and the engines that could not list theirs. */
  list(options: CallOptions = {}): Promise<Answer<'listImages'>> {
    return this.#client.request('listImages', options);
  }

  /** An image by its name: the owner's own before a shared one, that before an engine's. */
  get(name: string, options: CallOptions = {}): Promise<Answer<'getImage'>> {
    return this.#client.request('getImage', { params: { image: name }, ...options });
  }

  /** The log of the build that made an image; empty for images that were not built from a Dockerfile. */
  async log(name: string, options: CallOptions = {}): Promise<string> {
    const request = { params: { image: name }, ...options };
    const { data } = await this.#client.requestBytes('getImageLog', 'text/plain', request);
    return new TextDecoder().decode(data);
  }

  /**
   * Saves a computer, or one of its snapshots, as an image of the owner, or with `shared` as one for all
   * owners. One of the same name is replaced; computers that were made from it stay as they are.
   */
  save(
    name: string,
    computer: ComputerHandle | ComputerAddress,
    options: Omit<NonNullable<BodyInput<'saveImage'>>, 'name' | 'computer'> & CallOptions = {},
  ): Promise<Answer<'saveImage'>> {
    const { call, fields } = splitOptions(options);
    const body = { name, computer: referenceOf(computer), ...fields };
    return this.#client.request('saveImage', { body, ...call });
  }

  /** Deletes one of the owner's images, or as an administrator a shared one. Fails while computers need it. */
  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteImage', { params: { image: name }, ...options });
  }

  /** Removes the cache of the owner's builds. Returns the bytes that this freed. */
  async prune(options: CallOptions = {}): Promise<number> {
    return (await this.#client.request('pruneImages', options)).bytes;
  }

  /**
   * Builds an image from a Dockerfile. The context is a tar archive of its directory.
   * @throws ServiceError a step has failed, with the line of the Dockerfile
   */
  build(
    name: string,
    context: Uint8Array | AsyncIterable<Uint8Array>,
    options: ImageBuildOptions = {},
  ): ReturnType<typeof buildImage> {
    return buildImage(this.#client, name, context, options);
  }
}

/** A computer as one word: its id, or its project and name. */
function referenceOf(computer: ComputerHandle | ComputerAddress): string {
  const address = 'address' in computer ? computer.address : computer;
  return 'id' in address ? address.id : `${address.project}/${address.name}`;
}
