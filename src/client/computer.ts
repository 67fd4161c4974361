import type { Duplex, Readable } from 'node:stream';
import type { SCROLL_DIRECTIONS } from '../contract/constants.js';
import type { Answer, BatchInput, BodyInput, QueryInput } from '../contract/index.js';
import type { OperationName } from '../contract/routes.js';
import type { Client } from './client.js';
import { ComputerFiles } from './files.js';
import { type ComputerAddress, computerParameters } from './http/address.js';
import { ComputerJobs } from './jobs.js';
import type { ProcessRequest, RemoteProcess } from './process.js';
import { type ScreenshotOptions, screenshotQuery } from './screenshot.js';
import { reachableView } from './view.js';

type Options<N extends OperationName, Required extends string> = Omit<
  NonNullable<BodyInput<N>>,
  Required
>;

/**
 * One computer. Coordinates are pixels from the top left corner. Actions run one after another in
 * call order; each resolves when the input has reached the screen.
 */
export class ComputerHandle {
  readonly address: ComputerAddress;
  readonly files: ComputerFiles;
  /** Commands that were started with `background`. */
  readonly jobs: ComputerJobs;
  readonly #client: Client;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.address = address;
    this.files = new ComputerFiles(client, address);
    this.jobs = new ComputerJobs(client, address);
  }

  /** The computer's properties and status. */
  get(): Promise<Answer<'getComputer'>> {
    return this.#run('getComputer');
  }

  /** What it uses of its host while it runs. */
  stats(): Promise<Answer<'getStats'>> {
    return this.#run('getStats');
  }

  start(): Promise<Answer<'startComputer'>> {
    return this.#run('startComputer');
  }

  /** Ends its processes; the disk stays. */
  stop(): Promise<Answer<'stopComputer'>> {
    return this.#run('stopComputer');
  }

  restart(): Promise<Answer<'restartComputer'>> {
    return this.#run('restartComputer');
  }

  /** The audit log, newest first. */
  async history(
    query: NonNullable<QueryInput<'listActions'>> = {},
  ): Promise<Answer<'listActions'>['actions']> {
    const params = computerParameters(this.address);
    return (await this.#client.request('listActions', { params, query })).actions;
  }

  /** Renames or protects it, or sets its auto-stop; omitted fields keep their values. */
  update(changes: NonNullable<BodyInput<'updateComputer'>>): Promise<Answer<'updateComputer'>> {
    return this.#run('updateComputer', changes);
  }

  /** Copies it with its disk and, when it runs, its memory; resolves when the copy can be used. */
  async fork(name: string): Promise<ComputerHandle> {
    const { id } = await this.#run('forkComputer', { name });
    return new ComputerHandle(this.#client, { id });
  }

  /** Deletes it and its disk permanently. */
  async delete(): Promise<void> {
    await this.#run('deleteComputer');
  }

  /** Takes a screenshot; resolves to the bytes of an image file. */
  async screenshot(options: ScreenshotOptions = {}): Promise<Buffer> {
    const accept = `image/${options.format ?? 'png'}`;
    const { data } = await this.#client.requestBytes('screenshot', accept, {
      params: computerParameters(this.address),
      query: screenshotQuery(options),
      signal: options.signal,
    });
    return data;
  }

  async click(x: number, y: number, options: Options<'click', 'x' | 'y'> = {}): Promise<void> {
    await this.#run('click', { x, y, ...options });
  }

  async move(x: number, y: number): Promise<void> {
    await this.#run('move', { x, y });
  }

  async drag(body: NonNullable<BodyInput<'drag'>>): Promise<void> {
    await this.#run('drag', body);
  }

  async scroll(
    direction: (typeof SCROLL_DIRECTIONS)[number],
    options: Options<'scroll', 'direction'> = {},
  ): Promise<void> {
    await this.#run('scroll', { direction, ...options });
  }

  /** Types any Unicode text; a newline is Enter, a tab is Tab. */
  async type(text: string, options: Options<'type', 'text'> = {}): Promise<void> {
    await this.#run('type', { text, ...options });
  }

  /** The text of the clipboard; empty if nothing has been copied. */
  async clipboard(): Promise<string> {
    return (await this.#run('getClipboard')).text;
  }

  /** Sets the text of the clipboard. */
  async setClipboard(text: string): Promise<void> {
    await this.#run('setClipboard', { text });
  }

  /** Presses a key or a combination, for example `Enter` or `ctrl+shift+t`. */
  async key(key: string, options: Options<'key', 'key'> = {}): Promise<void> {
    await this.#run('key', { key, ...options });
  }

  /** Waits for a time or for the screen; resolves to the seconds waited. */
  async wait(body: NonNullable<BodyInput<'wait'>>): Promise<number> {
    return (await this.#run('wait', body)).waited;
  }

  /**
   * Runs actions in one request, one after another, without other clients' input between them.
   * Resolves to their results up to the first failure; `success` is true if none failed.
   */
  batch(actions: BatchInput[]): Promise<Answer<'batch'>> {
    return this.#run('batch', { actions });
  }

  /** A link to the live view for a browser; it opens once, within a minute. */
  async view(mode: 'control' | 'view' = 'control'): Promise<Answer<'view'>> {
    return reachableView(await this.#run('view', { mode }), this.#client.baseUrl);
  }

  /** Runs a command line in a shell and waits until it ends. */
  bash(command: string, options: Options<'bash', 'command'> = {}): Promise<Answer<'bash'>> {
    return this.#run('bash', { command, ...options });
  }

  /** Runs Python 3 code and waits until it ends. */
  python(code: string, options: Options<'exec', 'code'> = {}): Promise<Answer<'exec'>> {
    return this.#run('exec', { code, ...options });
  }

  /** Streams the screen to an RTMP target; resolves when the first frame is sent. */
  startStream(body: NonNullable<BodyInput<'startStream'>>): Promise<Answer<'startStream'>> {
    return this.#run('startStream', body);
  }

  streamStatus(): Promise<Answer<'streamStatus'>> {
    return this.#run('streamStatus');
  }

  async stopStream(): Promise<void> {
    await this.#run('stopStream');
  }

  /**
   * Records the screen as a fragmented MP4 file, which is playable when cut off after any fragment.
   * Without `duration` (seconds) the recording ends when the stream is destroyed.
   */
  record(
    query: NonNullable<QueryInput<'record'>> = {},
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Readable> {
    const params = computerParameters(this.address);
    return this.#client.requestStream('record', 'video/mp4', { params, query, ...options });
  }

  /** Starts a program and connects its streams. */
  process(request: ProcessRequest): Promise<RemoteProcess> {
    return this.#client.process(this.address, request);
  }

  /** Connects to a port on the computer's loopback. */
  connect(port: number, signal?: AbortSignal): Promise<Duplex> {
    return this.#client.tunnel(this.address, port, signal);
  }

  #run<N extends OperationName>(operation: N, body?: BodyInput<N>): Promise<Answer<N>> {
    return this.#client.request(operation, { params: computerParameters(this.address), body });
  }
}
