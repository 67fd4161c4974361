import type { Answer, BodyInput, OperationName } from '../contract/index.js';
import { type ComputerAddress, computerParameters } from './address.js';
import type { Client } from './client.js';
import type { ProcessRequest, RemoteProcess } from './process.js';
import { type ScreenshotOptions, screenshotQuery } from './screenshot.js';

type Options<N extends OperationName, Required extends string> = Omit<
  NonNullable<BodyInput<N>>,
  Required
>;

/**
 * One computer, driven. Coordinates are pixels from the top left corner. Actions run one after the
 * other in the order in which they were called; each resolves when the input has reached the screen.
 */
export class ComputerHandle {
  readonly address: ComputerAddress;
  readonly #client: Client;

  constructor(client: Client, address: ComputerAddress) {
    this.#client = client;
    this.address = address;
  }

  /** What the computer is and whether it runs. */
  get(): Promise<Answer<'getComputer'>> {
    return this.#run('getComputer');
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

  /** Removes it with its disk, for good. */
  async delete(): Promise<void> {
    await this.#run('deleteComputer');
  }

  /** A picture of the screen as the bytes of an image file. */
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
    direction: 'up' | 'down' | 'left' | 'right',
    options: Options<'scroll', 'direction'> = {},
  ): Promise<void> {
    await this.#run('scroll', { direction, ...options });
  }

  /** Types any Unicode text; a newline is Enter, a tab is Tab. */
  async type(text: string, options: Options<'type', 'text'> = {}): Promise<void> {
    await this.#run('type', { text, ...options });
  }

  /** Presses a key or a combination, for example `Enter` or `ctrl+shift+t`. */
  async key(key: string, options: Options<'key', 'key'> = {}): Promise<void> {
    await this.#run('key', { key, ...options });
  }

  /** Waits for a time or for the screen; resolves with the seconds that it took. */
  async wait(body: NonNullable<BodyInput<'wait'>>): Promise<number> {
    return (await this.#run('wait', body)).waited;
  }

  /** Runs a command line in a shell and waits for its end. */
  bash(command: string, options: Options<'bash', 'command'> = {}): Promise<Answer<'bash'>> {
    return this.#run('bash', { command, ...options });
  }

  /** Runs Python 3 code and waits for its end. */
  python(code: string, options: Options<'exec', 'code'> = {}): Promise<Answer<'exec'>> {
    return this.#run('exec', { code, ...options });
  }

  /** Starts a program and connects its streams. */
  process(request: ProcessRequest): Promise<RemoteProcess> {
    return this.#client.process(this.address, request);
  }

  #run<N extends OperationName>(operation: N, body?: BodyInput<N>): Promise<Answer<N>> {
    return this.#client.request(operation, { params: computerParameters(this.address), body });
  }
}
