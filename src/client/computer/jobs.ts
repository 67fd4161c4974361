import type { Answer, QueryInput } from '../../contract/types/index.js';
import { sleep } from '../../lib/async/sleep.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import {
  type ComputerAddress,
  type ComputerParameters,
  computerParameters,
} from '../http/address.js';

const CHUNK_BYTES = 1024 * 1024;
/** Pauses between two requests for the output of a job that writes nothing, in milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

/** A computer's background commands; they outlive the service and this client. */
export class ComputerJobs {
  readonly #client: Client;
  readonly #params: ComputerParameters;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.#params = computerParameters(address);
  }

  /** All jobs, without their output. */
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

  /**
   * Its output as it is written, from `offset` on, until the job has ended. The iterator's return
   * value is the ended job. `timeoutMs` is for each request.
   */
  async *follow(
    job: string,
    { offset = 0, ...options }: { readonly offset?: number } & CallOptions = {},
  ): AsyncGenerator<string, Answer<'getJob'>, undefined> {
    let pause = FIRST_PAUSE_MS;
    for (let at = offset; ; ) {
      const seen = await this.get(job, { offset: at, limit: CHUNK_BYTES, ...options });
      if (seen.output !== '') yield seen.output;
      const isNew = seen.next_offset > at;
      at = seen.next_offset;
      if (isNew) {
        pause = FIRST_PAUSE_MS;
        if (seen.output_bytes > at) continue;
      }
      if (seen.status === 'exited') return seen;
      await sleep(pause, options.signal);
      pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
    }
  }

  /** Terminates its process group, kills it if necessary, and resolves to the ended job. */
  end(job: string, options: CallOptions = {}): Promise<Answer<'endJob'>> {
    return this.#client.request('endJob', { params: { ...this.#params, job }, ...options });
  }
}
