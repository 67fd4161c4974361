import type { Answer, BodyInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { ComputerHandle, type KnownComputer, knownComputer } from '../computer/computer.js';
import { requireRunning, untilReady, type WaitOptions } from '../computer/ready.js';
import type { ComputerAddress } from '../http/address.js';

type Status = Answer<'getComputer'>['status'];

/** Which computers a list has: all of what is given has to match. */
export interface ComputersFilter {
  readonly status?: Status | readonly Status[];
  /** `NAME=VALUE`, or `NAME` for any value. */
  readonly label?: string | readonly string[];
  readonly engine?: string;
  readonly image?: string;
}

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
    settings: NonNullable<BodyInput<'createComputer'>> & WaitOptions,
    options: WaitOptions = {},
  ): Promise<KnownComputer> {
    const { call: given, fields } = splitOptions({ ...settings, ...options });
    const { wait, ...body } = fields;
    const computer = await untilReady(this.#client, { wait, ...given }, (query, call) =>
      this.#client.request('createComputer', { params: { project }, query, body, ...call }),
    );
    if (wait !== false) requireRunning(computer);
    return knownComputer(this.#client, computer, { isOwn: true });
  }

  /** The computers of a project, the oldest first. */
  async list(
    project: string,
    options: ComputersFilter & CallOptions = {},
  ): Promise<Answer<'listComputers'>['computers']> {
    const [query, call] = queryOf(options);
    const params = { project };
    return (await this.#client.request('listComputers', { params, query, ...call })).computers;
  }

  /** The computers of all projects, the oldest first. */
  async listAll(
    options: ComputersFilter & CallOptions = {},
  ): Promise<Answer<'listAllComputers'>['computers']> {
    const [filter, call] = queryOf(options);
    const all: Answer<'listAllComputers'>['computers'] = [];
    for (let cursor: string | undefined; ; ) {
      const query = { ...filter, limit: 1000, cursor };
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

function queryOf({ status, label, engine, image, ...call }: ComputersFilter & CallOptions) {
  const wanted = status === undefined ? undefined : [status].flat();
  const labels = label === undefined ? undefined : [label].flat();
  return [{ status: wanted, label: labels, engine, image }, call] as const;
}
