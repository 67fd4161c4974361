import type { Answer, BodyInput } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { ComputerHandle, type KnownComputer, knownComputer } from '../computer/computer.js';
import { requireRunning, untilReady, type WaitOptions } from '../computer/ready.js';
import type { ComputerAddress } from '../http/address.js';

type Status = Answer<'getComputer'>['status'];

/** The computers of the key's owner. */
export class Computers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Creates a computer and starts it; resolves when it can be used, or with `wait: false` at once.
   * @throws ComputerStartError it was created and does not start
   */
  async create(
    project: string,
    body: NonNullable<BodyInput<'createComputer'>>,
    options: WaitOptions = {},
  ): Promise<KnownComputer> {
    const computer = await untilReady(this.#client, options, (query, call) =>
      this.#client.request('createComputer', { params: { project }, query, body, ...call }),
    );
    if (options.wait !== false) requireRunning(computer);
    return knownComputer(this.#client, computer, { isOwn: true });
  }

  async list(
    project: string,
    options: CallOptions = {},
  ): Promise<Answer<'listComputers'>['computers']> {
    return (await this.#client.request('listComputers', { params: { project }, ...options }))
      .computers;
  }

  /** The computers of all projects, the oldest first; with `status` only those that have it. */
  async listAll(
    options: { readonly status?: Status | readonly Status[] } & CallOptions = {},
  ): Promise<Answer<'listAllComputers'>['computers']> {
    const { status, ...call } = options;
    const wanted = status === undefined ? undefined : [status].flat().join(',');
    const all: Answer<'listAllComputers'>['computers'] = [];
    for (let cursor: string | undefined; ; ) {
      const query = { status: wanted, limit: 1000, cursor };
      const page = await this.#client.request('listAllComputers', { query, ...call });
      all.push(...page.computers);
      if (!page.next_cursor) return all;
      cursor = page.next_cursor;
    }
  }

  /** The handle of a computer; rejects if it does not exist. */
  async get(address: ComputerAddress, options: CallOptions = {}): Promise<KnownComputer> {
    const computer = await new ComputerHandle(this.#client, address).get(options);
    return knownComputer(this.#client, computer, { isOwn: false });
  }
}
