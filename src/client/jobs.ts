import type { Answer, QueryInput } from '../contract/index.js';
import type { Client } from './client.js';
import { type ComputerAddress, computerParameters } from './http/address.js';

/** A computer's background commands; they outlive the service and this client. */
export class ComputerJobs {
  readonly #client: Client;
  readonly #params: Record<string, string>;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.#params = computerParameters(address);
  }

  async list(signal?: AbortSignal): Promise<Answer<'listJobs'>['jobs']> {
    return (await this.#client.request('listJobs', { params: this.#params, signal })).jobs;
  }

  /** A job with its output from `offset` on; continue at `next_offset`. */
  get(
    job: string,
    query: QueryInput<'getJob'> = {},
    signal?: AbortSignal,
  ): Promise<Answer<'getJob'>> {
    return this.#client.request('getJob', { params: { ...this.#params, job }, query, signal });
  }

  /** Terminates its process group, kills it if necessary, and resolves to the ended job. */
  end(job: string, signal?: AbortSignal): Promise<Answer<'endJob'>> {
    return this.#client.request('endJob', { params: { ...this.#params, job }, signal });
  }
}
