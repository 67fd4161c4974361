import type { Answer, QueryInput } from '../../contract/index.js';
import { type CallOptions, splitOptions } from '../calls/options.js';
import type { Client } from '../client.js';
import { type ComputerAddress, computerParameters } from '../http/address.js';

/** A computer's background commands; they outlive the service and this client. */
export class ComputerJobs {
  readonly #client: Client;
  readonly #params: Record<string, string>;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.#params = computerParameters(address);
  }

  async list(options: CallOptions = {}): Promise<Answer<'listJobs'>['jobs']> {
    return (await this.#client.request('listJobs', { params: this.#params, ...options })).jobs;
  }

  /** A job with its output from `offset` on; continue at `next_offset`. */
  get(
    job: string,
    options: NonNullable<QueryInput<'getJob'>> & CallOptions = {},
  ): Promise<Answer<'getJob'>> {
    const { call, fields: query } = splitOptions(options);
    return this.#client.request('getJob', { params: { ...this.#params, job }, query, ...call });
  }

  /** Terminates its process group, kills it if necessary, and resolves to the ended job. */
  end(job: string, options: CallOptions = {}): Promise<Answer<'endJob'>> {
    return this.#client.request('endJob', { params: { ...this.#params, job }, ...options });
  }
}
