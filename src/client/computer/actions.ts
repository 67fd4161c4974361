import type {
  Answer,
  BatchAction,
  BodyInput,
  QueryInput,
  Wait,
} from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import { CommandError } from '../errors.js';
import { computerParameters } from '../http/address.js';
import { writeLocalFile } from '../platform/index.js';
import { type IfChanged, type IfNoneMatch, ifChanged } from '../requests.js';
import type { BatchAnswer } from './batch.js';
import { ComputerInput, type Options } from './input.js';
import {
  type MarkedScreenshot,
  type Region,
  regionTuple,
  type ScreenshotOptions,
  screenshotQuery,
} from './screenshot.js';

/** An item in the shape of a model's vendor. */
export type ModelItem = Answer<'getComputerUse'>['tools'][number];

/** The answer to the calls of a model's turn, with results of the vendor's type. */
export type ComputerUseAnswer<Result = ModelItem> = Omit<Answer<'computerUse'>, 'results'> & {
  results: Result[];
};

/** What pictures a model gets, which secrets it may type, and of which run its calls are. */
export type ComputerUseOptions = Pick<
  Options<'computerUse', 'items'>,
  'format' | 'quality' | 'max_edge' | 'settle' | 'secrets' | 'run'
>;

/** What to wait for; a `region` can be written both ways. */
type WaitInput = Omit<Wait, 'region'> & { readonly region?: Region | Wait['region'] };
type WaitFields = WaitInput &
  ({ readonly seconds: number } | { readonly duration: number } | Required<Pick<Wait, 'until'>>);

interface CheckOptions {
  /** Throw a {@link CommandError} if the command or code fails or is ended at its `timeout`. */
  readonly check?: boolean | undefined;
}

/** What is done with a running computer: screen, mouse, keyboard and commands. */
export class ComputerActions extends ComputerInput {
  /** Takes a screenshot; resolves to the bytes of an image file. */
  screenshot(options?: ScreenshotOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The same with its `etag`, or that the image is the one of `ifNoneMatch`. After a large change,
   * the same pixels can be another image.
   */
  screenshot(options: ScreenshotOptions & IfNoneMatch): Promise<IfChanged>;
  async screenshot({
    ifNoneMatch,
    ...options
  }: ScreenshotOptions & Partial<IfNoneMatch> = {}): Promise<Uint8Array<ArrayBuffer> | IfChanged> {
    const { call, fields } = splitOptions(options);
    const accept = `image/${options.format ?? 'png'}`;
    const taken = await this.client.requestBytes('screenshot', accept, {
      params: computerParameters(this.address),
      query: screenshotQuery(fields),
      ifNoneMatch: ifNoneMatch ?? undefined,
      ...call,
    });
    return ifNoneMatch === undefined ? taken.data : ifChanged(taken, ifNoneMatch);
  }

  /**
   * Takes a screenshot with numbered boxes around the elements that can be clicked, and lists them:
   * {@link clickMark} takes the numbers.
   */
  async markedScreenshot(options: ScreenshotOptions = {}): Promise<MarkedScreenshot> {
    const { call, fields } = splitOptions(options);
    const { image, format, width, height, ...rest } = await this.client.request('screenshot', {
      params: computerParameters(this.address),
      query: { ...screenshotQuery(fields), marks: '1' },
      ...call,
    });
    const { frame = '', marks = [], truncated = false } = rest;
    const bytes = Uint8Array.from(atob(image), (character) => character.charCodeAt(0));
    return { image: bytes, format, width, height, frame, marks, truncated };
  }

  /** The text of the clipboard; empty if nothing has been copied. */
  async clipboard(options: CallOptions = {}): Promise<string> {
    return (await this.operate('getClipboard', undefined, options)).text;
  }

  /** Sets the text of the clipboard. */
  async setClipboard(text: string, options: CallOptions = {}): Promise<void> {
    await this.operate('setClipboard', { text }, options);
  }

  /**
   * Waits for a time, for the screen or a `region` of it, or until a condition holds:
   * `wait({ until: { port: 8000 }, timeout: 60 })`.
   */
  wait(what: WaitFields & CallOptions, options: CallOptions = {}): Promise<Answer<'wait'>> {
    const { call, fields } = splitOptions<WaitInput & CallOptions>({ ...what, ...options });
    const { region, ...body } = fields;
    const part = region && { region: 'x' in region ? regionTuple(region) : region };
    return this.operate('wait', { ...body, ...part }, call);
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

  /**
   * Carries out the calls of a model's turn, in the shape of its vendor, and resolves to the result
   * items in that shape, to be appended to the model's input unchanged. `Result` can be the vendor's
   * type of such an item; it is not checked.
   */
  computerUse<Result = ModelItem>(
    items: readonly object[] | readonly string[],
    options: Options<'computerUse', 'items'> = {},
  ): Promise<ComputerUseAnswer<Result>> {
    const { call, fields } = splitOptions(options);
    const body = { items: [...items] as BodyInput<'computerUse'>['items'], ...fields };
    return this.operate('computerUse', body, call) as Promise<ComputerUseAnswer<Result>>;
  }

  /**
   * The tools to declare to a model of that dialect. `Tool` can be the vendor's type; it is not
   * checked.
   */
  async computerUseTools<Tool = ModelItem>(
    dialect: QueryInput<'getComputerUse'>['dialect'],
    options: CallOptions = {},
  ): Promise<Tool[]> {
    const { tools } = await this.client.request('getComputerUse', {
      params: computerParameters(this.address),
      query: { dialect },
      ...options,
    });
    return tools as Tool[];
  }

  /** Takes a screenshot and writes it to a file of this machine. */
  async screenshotTo(path: string, options: ScreenshotOptions = {}): Promise<void> {
    await writeLocalFile(path, [await this.screenshot(options)], undefined);
  }

  /** Starts a command line as a job, which outlives this client. */
  bash(
    command: string,
    options: Options<'bash', 'command'> & CheckOptions & { readonly background: true },
  ): Promise<Answer<'bash'> & { job_id: string; pid: number }>;
  /** Runs a command line in a shell and waits until it ends. */
  bash(
    command: string,
    options?: Options<'bash', 'command'> & CheckOptions,
  ): Promise<Answer<'bash'>>;
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
}
