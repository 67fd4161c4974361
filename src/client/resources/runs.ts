import type { Answer, BodyInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';

/** Runs with their tasks, as the web page shows them: those of `vc run`, and of your program. */
export class Runs {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates a run whose tasks wait. Nothing runs them but your program. */
  create(
    run: NonNullable<BodyInput<'createRun'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'createRun'>> {
    const { call, fields: body } = splitOptions({ ...run, ...options });
    return this.#client.request('createRun', { body, ...call });
  }

  /** The runs of the key's owner, the newest first. */
  async list(options: CallOptions = {}): Promise<Answer<'listRuns'>['runs']> {
    return (await this.#client.request('listRuns', options)).runs;
  }

  /** A run by its id. */
  get(id: string, options: CallOptions = {}): Promise<Answer<'getRun'>> {
    return this.#client.request('getRun', { params: { run: id }, ...options });
  }

  /** Sets the state of a task. A picture, as JPEG in base64, stays until there is another. */
  async updateTask(
    id: string,
    task: string,
    state: NonNullable<BodyInput<'updateRunTask'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<void> {
    const { call, fields: body } = splitOptions({ ...state, ...options });
    await this.#client.request('updateRunTask', { params: { run: id, task }, body, ...call });
  }

  /** The picture of a task as JPEG. */
  async picture(id: string, task: string, options: CallOptions = {}): Promise<Uint8Array> {
    const request = { params: { run: id, task }, ...options };
    return (await this.#client.requestBytes('getRunPicture', 'image/jpeg', request)).data;
  }
}
