import type { SCROLL_DIRECTIONS } from '../../contract/constants.js';
import type { OperationName } from '../../contract/routes.js';
import type { Answer, BatchAction, BodyInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/options.js';
import type { Client } from '../client.js';
import { CommandError } from '../errors.js';
import { type ComputerAddress, computerParameters } from '../http/address.js';
import type { BatchAnswer } from './batch.js';
import { type ScreenshotOptions, screenshotQuery } from './screenshot.js';

/** The optional fields of an operation's body, and the options of the call. */
type Options<N extends OperationName, Required extends string> = Omit<
  NonNullable<BodyInput<N>>,
  Required
> &
  CallOptions;

interface CheckOptions {
  /** Throw a {@link CommandError} if the command or code fails or is ended at its `timeout`. */
  readonly check?: boolean | undefined;
}

/** Whether the screen became stable in time, for an action with `settle`. */
export interface Settled {
  readonly settled?: boolean | undefined;
}

/** What is done with a running computer: screen, mouse, keyboard and commands. */
export class ComputerActions {
  readonly address: ComputerAddress;
  protected readonly client: Client;

  constructor(client: Client, address: ComputerAddress) {
    this.client = client;
    this.address = address;
  }

  /** Takes a screenshot; resolves to the bytes of an image file. */
  async screenshot(options: ScreenshotOptions = {}): Promise<Buffer> {
    const { call, fields } = splitOptions(options);
    const accept = `image/${options.format ?? 'png'}`;
    const { data } = await this.client.requestBytes('screenshot', accept, {
      params: computerParameters(this.address),
      query: screenshotQuery(fields),
      ...call,
    });
    return data;
  }

  /** Resolves to `{settled}` if `settle` was asked for, as all mouse and keyboard actions do. */
  click(x: number, y: number, options: Options<'click', 'x' | 'y'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('click', { x, y, ...fields }, call);
  }

  move(x: number, y: number, options: Options<'move', 'x' | 'y'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('move', { x, y, ...fields }, call);
  }

  drag(body: NonNullable<BodyInput<'drag'>>, options: CallOptions = {}): Promise<Settled> {
    return this.#act('drag', body, options);
  }

  scroll(
    direction: (typeof SCROLL_DIRECTIONS)[number],
    options: Options<'scroll', 'direction'> = {},
  ): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('scroll', { direction, ...fields }, call);
  }

  /** Types any Unicode text; a newline is Enter, a tab is Tab. */
  type(text: string, options: Options<'type', 'text'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('type', { text, ...fields }, call);
  }

  /** The text of the clipboard; empty if nothing has been copied. */
  async clipboard(options: CallOptions = {}): Promise<string> {
    return (await this.operate('getClipboard', undefined, options)).text;
  }

  /** Sets the text of the clipboard. */
  async setClipboard(text: string, options: CallOptions = {}): Promise<void> {
    await this.operate('setClipboard', { text }, options);
  }

  /** Presses a key or a combination, for example `Enter` or `ctrl+shift+t`. */
  key(key: string, options: Options<'key', 'key'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('key', { key, ...fields }, call);
  }

  /** Waits for a time or for the screen. */
  wait(body: NonNullable<BodyInput<'wait'>>, options: CallOptions = {}): Promise<Answer<'wait'>> {
    return this.operate('wait', body, options);
  }

  /**
   * Runs actions in one request, one after another, without other clients' input between them.
   * With `success`, `results` has the answer to each of `actions`; otherwise those up to the first
   * failure, which is the last.
   */
  batch<const Actions extends readonly BatchAction[]>(
    actions: Actions,
    options: CallOptions = {},
  ): Promise<BatchAnswer<Actions>> {
    const body = { actions: [...actions] };
    return this.operate('batch', body, options) as Promise<BatchAnswer<Actions>>;
  }

  /** Takes a screenshot and writes it to a file of this machine. */
  async screenshotTo(path: string, options: ScreenshotOptions = {}): Promise<void> {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(path, await this.screenshot(options));
  }

  /** Runs a command line in a shell and waits until it ends. */
  async bash(
    command: string,
    { check = false, ...options }: Options<'bash', 'command'> & CheckOptions = {},
  ): Promise<Answer<'bash'>> {
    const { call, fields } = splitOptions(options);
    const result = await this.operate('bash', { command, ...fields }, call);
    const hasFailed = result.timed_out || (result.exit_code !== 0 && fields.background !== true);
    if (check && hasFailed) throw new CommandError(result);
    return result;
  }

  /** Runs Python 3 code and waits until it ends. */
  async python(
    code: string,
    { check = false, ...options }: Options<'exec', 'code'> & CheckOptions = {},
  ): Promise<Answer<'exec'>> {
    const { call, fields } = splitOptions(options);
    const result = await this.operate('exec', { code, ...fields }, call);
    if (check && !result.success) throw new CommandError(result);
    return result;
  }

  /** Runs an operation on this computer. */
  protected operate<N extends OperationName>(
    operation: N,
    body: BodyInput<N> | undefined,
    call: CallOptions,
  ): Promise<Answer<N>> {
    return this.client.request(operation, {
      params: computerParameters(this.address),
      ...(body === undefined ? {} : { body }),
      ...call,
    });
  }

  async #act<N extends 'click' | 'move' | 'drag' | 'scroll' | 'type' | 'key'>(
    operation: N,
    body: BodyInput<N>,
    call: CallOptions,
  ): Promise<Settled> {
    const { settled } = await this.operate(operation, body, call);
    return settled === undefined ? {} : { settled };
  }
}
