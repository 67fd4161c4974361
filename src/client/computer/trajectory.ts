import { TRAJECTORY_TYPE } from '../../contract/constants.js';
import type { Answer, BodyInput, QueryInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import {
  type ComputerAddress,
  type ComputerParameters,
  computerParameters,
} from '../http/address.js';
import { toStream } from '../http/read-body.js';

/** The recorded actions of a computer, with pictures before and after each. */
export class ComputerTrajectory {
  readonly #client: Client;
  readonly #params: ComputerParameters;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.#params = computerParameters(address);
  }

  /** Starts to record the actions of every client, at most for `max_seconds`. */
  start(
    options: NonNullable<BodyInput<'startTrajectory'>> & CallOptions = {},
  ): Promise<Answer<'startTrajectory'>> {
    const { call, fields: body } = splitOptions(options);
    return this.#client.request('startTrajectory', { params: this.#params, body, ...call });
  }

  /** The last recording: whether it runs, and how many steps it has. */
  get(options: CallOptions = {}): Promise<Answer<'getTrajectory'>> {
    return this.#client.request('getTrajectory', { params: this.#params, ...options });
  }

  /** Some steps; continue at `next_offset`. */
  steps(
    options: NonNullable<QueryInput<'listTrajectorySteps'>> & CallOptions = {},
  ): Promise<Answer<'listTrajectorySteps'>> {
    const { call, fields: query } = splitOptions(options);
    return this.#client.request('listTrajectorySteps', { params: this.#params, query, ...call });
  }

  /** A picture of a step as PNG, by its name in `before` or `after`. */
  async picture(name: string, options: CallOptions = {}): Promise<Uint8Array> {
    const params = { ...this.#params, picture: name.replace('pictures/', '') };
    const request = { params, ...options };
    return (await this.#client.requestBytes('getTrajectoryPicture', 'image/png', request)).data;
  }

  /** Ends the recording; has no effect on one that has ended. */
  end(options: CallOptions = {}): Promise<Answer<'endTrajectory'>> {
    return this.#client.request('endTrajectory', { params: this.#params, ...options });
  }

  /** The files as a tar archive: `trajectory.jsonl` and `pictures`. */
  async download(options: CallOptions = {}): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const request = { params: this.#params, ...options };
    return toStream(await this.#client.requestStream('getTrajectory', TRAJECTORY_TYPE, request));
  }

  /** Ends the recording and removes it. */
  async delete(options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteTrajectory', { params: this.#params, ...options });
  }
}
