import type { Answer, BodyInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import {
  type ComputerAddress,
  type ComputerParameters,
  computerParameters,
} from '../http/address.js';

/** A computer's snapshots, which form a tree; they are deleted with the computer. */
export class ComputerSnapshots {
  readonly #client: Client;
  readonly #params: ComputerParameters;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.#params = computerParameters(address);
  }

  /**
   * Saves the disk and, where the engine can, the memory of a computer, which keeps running. Without a
   * name it is `snap-1`, `snap-2`, …
   */
  create(
    snapshot: string | (NonNullable<BodyInput<'createSnapshot'>> & CallOptions) = {},
    options: CallOptions = {},
  ): Promise<Answer<'createSnapshot'>> {
    const given = typeof snapshot === 'string' ? { name: snapshot } : snapshot;
    const { call, fields: body } = splitOptions({ ...given, ...options });
    return this.#client.request('createSnapshot', { params: this.#params, body, ...call });
  }

  /** The oldest first. */
  async list(options: CallOptions = {}): Promise<Answer<'listSnapshots'>['snapshots']> {
    return (await this.#client.request('listSnapshots', { params: this.#params, ...options }))
      .snapshots;
  }

  /** Snapshots that were made after it stay. */
  async delete(name: string, options: CallOptions = {}): Promise<void> {
    const params = { ...this.#params, snapshot: name };
    await this.#client.request('deleteSnapshot', { params, ...options });
  }
}
