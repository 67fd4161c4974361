import type { Duplex, Readable } from 'node:stream';
import type { Answer, BodyInput, QueryInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/options.js';
import type { Client } from '../client.js';
import { ServiceError } from '../errors.js';
import { ComputerFiles } from '../files/files.js';
import { type ComputerAddress, computerParameters } from '../http/address.js';
import type { ProcessRequest, RemoteProcess } from '../process.js';
import { ComputerActions } from './actions.js';
import type { CommandResult } from './command-result.js';
import { ComputerJobs } from './jobs.js';
import { requireRunning, untilReady, type WaitOptions } from './ready.js';
import { type RunOptions, runCommand } from './run.js';
import { reachableView } from './view.js';

/**
 * One computer. Coordinates are pixels from the top left corner. Actions run one after another in
 * call order; each resolves when the input has reached the screen. The last argument of each method
 * takes `signal` and `timeoutMs`.
 */
export class ComputerHandle extends ComputerActions {
  readonly files: ComputerFiles;
  /** Commands that were started with `background`. */
  readonly jobs: ComputerJobs;
  #info: Answer<'getComputer'> | undefined;
  readonly #isOwn: boolean;

  constructor(
    client: Client,
    address: ComputerAddress,
    { info, isOwn = false }: { info?: Answer<'getComputer'>; isOwn?: boolean } = {},
  ) {
    super(client, address);
    this.#info = info;
    this.#isOwn = isOwn;
    this.files = new ComputerFiles(client, address);
    this.jobs = new ComputerJobs(client, address);
  }

  /** The computer as the service last described it; undefined if it has not been asked yet. */
  get info(): Answer<'getComputer'> | undefined {
    return this.#info;
  }

  /** Its id; undefined for a handle by name whose computer has not been asked for yet. */
  get id(): string | undefined {
    return 'id' in this.address ? this.address.id : this.#info?.id;
  }

  /** Its name; undefined for a handle by id whose computer has not been asked for yet. */
  get name(): string | undefined {
    return this.#info?.name ?? ('name' in this.address ? this.address.name : undefined);
  }

  /** Asks for its properties and status. */
  async get(options: CallOptions = {}): Promise<Answer<'getComputer'>> {
    return this.#note(await this.operate('getComputer', undefined, options));
  }

  /** What it uses of its host while it runs. */
  stats(options: CallOptions = {}): Promise<Answer<'getStats'>> {
    return this.operate('getStats', undefined, options);
  }

  /** Resolves when it can be used. */
  async start(options: WaitOptions = {}): Promise<Answer<'startComputer'>> {
    return this.#starting('startComputer', options);
  }

  /** Ends its processes; the disk stays. */
  async stop(options: CallOptions = {}): Promise<Answer<'stopComputer'>> {
    return this.#note(await this.operate('stopComputer', undefined, options));
  }

  /** Stops and starts it; resolves when it can be used. */
  async restart(options: WaitOptions = {}): Promise<Answer<'restartComputer'>> {
    return this.#starting('restartComputer', options);
  }

  /** The audit log, newest first. */
  async history(
    options: NonNullable<QueryInput<'listActions'>> & CallOptions = {},
  ): Promise<Answer<'listActions'>['actions']> {
    const { call, fields: query } = splitOptions(options);
    const params = computerParameters(this.address);
    return (await this.client.request('listActions', { params, query, ...call })).actions;
  }

  /** Renames or protects it, or sets its auto-stop; omitted fields keep their values. */
  async update(
    changes: NonNullable<BodyInput<'updateComputer'>>,
    options: CallOptions = {},
  ): Promise<Answer<'updateComputer'>> {
    return this.#note(await this.operate('updateComputer', changes, options));
  }

  /** Copies it with its disk and, when it runs, its memory; resolves when the copy can be used. */
  async fork(name: string, options: WaitOptions = {}): Promise<ComputerHandle> {
    const params = computerParameters(this.address);
    const copy = await untilReady(this.client, options, (query, call) =>
      this.client.request('forkComputer', { params, query, body: { name }, ...call }),
    );
    // The copy of a stopped computer is stopped.
    if (options.wait !== false && copy.status !== 'stopped') requireRunning(copy);
    return new ComputerHandle(this.client, { id: copy.id }, { info: copy, isOwn: true });
  }

  /** Deletes it and its disk permanently. */
  async delete(options: CallOptions = {}): Promise<void> {
    await this.operate('deleteComputer', undefined, options);
  }

  /** A link to the live view for a browser; it opens once, within a minute. */
  async view(
    mode: 'control' | 'view' = 'control',
    options: CallOptions = {},
  ): Promise<Answer<'view'>> {
    return reachableView(await this.operate('view', { mode }, options), this.client.baseUrl);
  }

  /** Deletes the computer if this handle is the one that `create` or `fork` has resolved to. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOwn) return;
    await this.delete().catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    });
  }

  /** Streams the screen to an RTMP target; resolves when the first frame is sent. */
  startStream(
    body: NonNullable<BodyInput<'startStream'>>,
    options: CallOptions = {},
  ): Promise<Answer<'startStream'>> {
    return this.operate('startStream', body, options);
  }

  streamStatus(options: CallOptions = {}): Promise<Answer<'streamStatus'>> {
    return this.operate('streamStatus', undefined, options);
  }

  async stopStream(options: CallOptions = {}): Promise<void> {
    await this.operate('stopStream', undefined, options);
  }

  /**
   * Records the screen as a fragmented MP4 file, which is playable when cut off after any fragment.
   * Without `duration` (seconds) the recording ends when the stream is destroyed.
   */
  record(options: NonNullable<QueryInput<'record'>> & CallOptions = {}): Promise<Readable> {
    const { call, fields: query } = splitOptions(options);
    const params = computerParameters(this.address);
    return this.client.requestStream('record', 'video/mp4', { params, query, ...call });
  }

  /**
   * Runs a command line in a shell (a string), or a program with its arguments (a list), and streams
   * its output to `onStdout` and `onStderr`. Ending the call ends the command.
   */
  run(command: string | readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return runCommand(this.client, this.address, command, options);
  }

  /** Starts a program and connects its streams. */
  process(request: ProcessRequest): Promise<RemoteProcess> {
    return this.client.process(this.address, request);
  }

  /** Connects to a port on the computer's loopback. */
  connect(port: number, options: CallOptions = {}): Promise<Duplex> {
    return this.client.tunnel(this.address, port, options);
  }

  async #starting(
    operation: 'startComputer' | 'restartComputer',
    options: WaitOptions,
  ): Promise<Answer<'startComputer'>> {
    const params = computerParameters(this.address);
    const computer = await untilReady(this.client, options, (query, call) =>
      this.client.request(operation, { params, query, ...call }),
    );
    this.#note(computer);
    return options.wait === false ? computer : requireRunning(computer);
  }

  /** Keeps what the service says for {@link info}. */
  #note<C extends Answer<'getComputer'>>(computer: C): C {
    this.#info = computer;
    return computer;
  }
}
