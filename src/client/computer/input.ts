import type { SCROLL_DIRECTIONS } from '../../contract/constants.js';
import type { Answer, BodyInput, OperationName, QueryInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { type ComputerAddress, computerParameters } from '../http/address.js';

/** The optional fields of an operation's body, and the options of the call. */
export type Options<N extends OperationName, Required extends string> = Omit<
  NonNullable<BodyInput<N>>,
  Required
> &
  CallOptions;

/** Pixels to scroll by; negative is left and up. */
type Pixels = Pick<NonNullable<BodyInput<'scroll'>>, 'delta_x' | 'delta_y'>;

/** Conditions for elements, of which at least one is needed. */
type FindConditions = NonNullable<BodyInput<'findElements'>> &
  ({ readonly text: string } | { readonly role: string } | { readonly name: string });

type InputOperation =
  | ('click' | 'move' | 'drag' | 'scroll' | 'mouseDown' | 'mouseUp')
  | ('type' | 'key' | 'keyDown' | 'keyUp');

/** Whether the screen became stable in time, for an action with `settle`. */
export interface Settled {
  readonly settled?: boolean | undefined;
}

/** The mouse and the keyboard of a running computer. */
export class ComputerInput {
  readonly address: ComputerAddress;
  protected readonly client: Client;

  constructor(client: Client, address: ComputerAddress) {
    this.client = client;
    this.address = address;
  }

  /** Resolves to `{settled}` if `settle` was asked for, as all mouse and keyboard actions do. */
  click(
    x: number,
    y: number,
    options: Options<'click', 'x' | 'y' | 'element' | 'mark' | 'frame'> = {},
  ): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('click', { x, y, ...fields }, call);
  }

  /** Clicks in the middle of an element, which {@link elements} or {@link find} has listed. */
  clickElement(
    element: string | { readonly id: string },
    options: Options<'click', 'element' | 'x' | 'y' | 'scale' | 'mark' | 'frame'> = {},
  ): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    const id = typeof element === 'string' ? element : element.id;
    return this.#act('click', { element: id, ...fields }, call);
  }

  /**
   * Clicks in the middle of the element with this number in the last picture with marks that was taken
   * with this API key, or in that of `frame`. Throws `stale_frame` if the element is gone, has moved or
   * changed since.
   */
  clickMark(
    mark: number,
    options: Options<'click', 'mark' | 'element' | 'x' | 'y' | 'scale'> = {},
  ): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('click', { mark, ...fields }, call);
  }

  /** The elements on the screen: buttons, fields, links, texts; those of the active window first. */
  elements(
    options: NonNullable<QueryInput<'getElements'>> & CallOptions = {},
  ): Promise<Answer<'getElements'>> {
    const { call, fields: query } = splitOptions(options);
    const params = computerParameters(this.address);
    return this.client.request('getElements', { params, query, ...call });
  }

  /**
   * Finds elements on the screen; all given conditions must hold. A text that no element has is read in
   * the picture of the screen; `source` allows one of both.
   */
  find(
    conditions: FindConditions & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'findElements'>> {
    const { call, fields } = splitOptions({ ...conditions, ...options });
    return this.operate('findElements', fields, call);
  }

  /** Moves the pointer. */
  move(x: number, y: number, options: Options<'move', 'x' | 'y'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('move', { x, y, ...fields }, call);
  }

  /** Presses a button, moves the pointer along a path, and releases the button. */
  drag(
    path: NonNullable<BodyInput<'drag'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Settled> {
    const { call, fields } = splitOptions({ ...path, ...options });
    return this.#act('drag', fields, call);
  }

  /** Scrolls by steps of the wheel, or by `{delta_x, delta_y}` in pixels. */
  scroll(
    how: (typeof SCROLL_DIRECTIONS)[number] | Pixels,
    options: Options<'scroll', 'direction' | 'delta_x' | 'delta_y'> = {},
  ): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    const turn = typeof how === 'string' ? { direction: how } : how;
    return this.#act('scroll', { ...turn, ...fields }, call);
  }

  /**
   * Presses a mouse button, which stays pressed until {@link mouseUp}; for 60 s without an action.
   * With `x` and `y` the pointer is moved first.
   */
  mouseDown(options: Options<'mouseDown', never> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('mouseDown', fields, call);
  }

  /** Releases a mouse button. With `x` and `y` the pointer is moved first. */
  mouseUp(options: Options<'mouseUp', never> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('mouseUp', fields, call);
  }

  /** Where the pointer was last moved to by a client of the service. */
  async cursor(options: CallOptions = {}): Promise<{ readonly x: number; readonly y: number }> {
    const { x, y } = await this.operate('getCursor', undefined, options);
    return { x, y };
  }

  /** Types any Unicode text; a newline is Enter, a tab is Tab. */
  type(text: string, options: Options<'type', 'text'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('type', { text, ...fields }, call);
  }

  /** Presses a key or a combination, for example `Enter` or `ctrl+shift+t`. */
  key(key: string, options: Options<'key', 'key'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('key', { key, ...fields }, call);
  }

  /** Presses a key or a combination, which stays pressed until {@link keyUp}, as in {@link mouseDown}. */
  keyDown(key: string, options: Options<'keyDown', 'key'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('keyDown', { key, ...fields }, call);
  }

  /** Releases keys that {@link keyDown} holds. */
  keyUp(key: string, options: Options<'keyUp', 'key'> = {}): Promise<Settled> {
    const { call, fields } = splitOptions(options);
    return this.#act('keyUp', { key, ...fields }, call);
  }

  /** Runs an operation on this computer. */
  protected operate<N extends OperationName>(
    operation: N,
    body: BodyInput<N> | undefined,
    call: CallOptions,
  ): Promise<Answer<N>> {
    return this.client.requestAny(operation, {
      params: computerParameters(this.address),
      ...(body === undefined ? {} : { body }),
      ...call,
    });
  }

  async #act<N extends InputOperation>(
    operation: N,
    body: BodyInput<N>,
    call: CallOptions,
  ): Promise<Settled> {
    const { settled } = await this.operate(operation, body, call);
    return settled === undefined ? {} : { settled };
  }
}
