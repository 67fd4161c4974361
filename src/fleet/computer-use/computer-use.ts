import type { BatchAction, BatchResult } from '../../contract/actions/batch.js';
import type {
  ComputerUseResult,
  ComputerUse as Request,
} from '../../contract/actions/computer-use.js';
import { ApiError } from '../../contract/errors.js';
import type { Size } from '../../screen/types.js';
import type { Owner } from '../accounts/api-keys.js';
import type { Actions } from '../actions/actions.js';
import type { ComputerRecord } from '../store/records.js';
import type { DialectLimits, Item, Outcome, UseAction, UseCall, UsePicture } from './actions.js';
import { callerOf, type Removed } from './caller.js';
import { type DialectName, dialects, readTurn } from './dialects/index.js';
import {
  DEFAULT_EDGE,
  type Frame,
  Frames,
  frameId,
  pictureScale,
  sameSize,
  scaled,
  staleFrame,
  toPicture,
  toScreen,
} from './frames.js';
import { INTERRUPTED, isFailure, outputOf } from './outputs.js';
import {
  bytesOf,
  describe,
  lastPicture,
  noticeOf,
  pictureStep,
  type Region,
  withNotice,
} from './pictures.js';
import { hasPlace, secondsOf, stepsOf } from './steps.js';
import { Turns } from './turns.js';

/** Seconds that the calls of a request wait and hold keys at most in all. */
const MOST_SECONDS = 300;
/** Errors of the request rather than of a call: the model can do nothing about them. */
const THROWN: readonly string[] = [
  'not_running',
  'not_found',
  'unauthorized',
  'rate_limited',
  'engine_unavailable',
  'internal',
  'request_timeout',
];

/** What was taken. */
interface Taken {
  readonly results: BatchResult['results'];
  readonly asked: ReturnType<typeof pictureStep> | undefined;
  readonly screen: Size;
}

interface Done {
  readonly outcome: Outcome;
  readonly bytes: number;
  readonly frame?: (Frame & { readonly isWhole: boolean }) | undefined;
  /** That another had control until this picture, as a sentence for the model. */
  readonly notice?: string | undefined;
}

/** Who asks for what on which computer. */
export interface UseRequest {
  readonly record: ComputerRecord;
  readonly by: Owner;
  readonly body: Request;
  readonly signal?: AbortSignal | undefined;
  /** Called with the actions of a call when they begin. */
  readonly onActions?: ((actions: readonly BatchAction[]) => void) | undefined;
}

/** Carries out the calls of models, in their own words, and answers them in these. */
export class ComputerUse {
  readonly #actions: Actions;
  readonly #frames: Frames;
  readonly #turns: Turns<Done>;

  constructor(actions: Actions) {
    this.#actions = actions;
    this.#frames = new Frames();
    this.#turns = new Turns<Done>();
  }

  /** Forgets the calls and pictures of a key or computer that was removed. */
  forget(removed: Removed): void {
    this.#turns.forget(removed);
    this.#frames.forget(removed);
  }

  /** The tools to declare to a model. */
  async tools(record: ComputerRecord, name: DialectName, signal?: AbortSignal): Promise<Item[]> {
    const { limits, tools } = dialects[name];
    const { size, hasShell } = await this.#actions.facts(record, signal);
    const picture = scaled(size, pictureScale(size, DEFAULT_EDGE, limits));
    return tools({ picture, os: record.os, hasShell });
  }

  /**
   * Carries out the calls of a turn, in order. After the first that fails, the others are answered as
   * not executed. Stops before a call with a safety check that was not acknowledged.
   */
  async use(request: UseRequest): Promise<ComputerUseResult> {
    const { body, signal } = request;
    const { dialect, calls } = readTurn(body.items, body.dialect);
    const results: Item[] = [];
    const frames: ComputerUseResult['frames'] = [];
    let failed = false;
    let seconds = 0;
    let notice: string | undefined;
    let replayed = false;
    const noted = () => ({
      ...(replayed && { replayed }),
      ...(notice !== undefined && { control_notice: notice }),
    });
    for (const [index, call] of calls.entries()) {
      const pending = call.checks.filter(({ id }) => !body.acknowledge.includes(id));
      if (pending.length > 0 && !failed) {
        const confirm = pending.map((check) => ({ call_id: call.id ?? `#${index}`, ...check }));
        return { success: false, results, frames, confirm, ...noted() };
      }
      seconds += secondsOf(call);
      let isRun = false;
      const run = () => {
        isRun = true;
        return this.#run(request, call, { failed, seconds, limits: dialect.limits });
      };
      const { actions, id } = call;
      signal?.throwIfAborted();
      const done = await (id === undefined
        ? run()
        : this.#turns.once(callerOf(request), id, actions, run, body.run));
      if (!isRun) replayed = true;
      if (done.outcome.state !== 'done') failed = true;
      if (done.frame !== undefined) frames.push(describe(done.frame));
      if (done.notice !== undefined) notice = done.notice;
      results.push(...call.answer(done.outcome));
    }
    return { success: !failed, results, frames, confirm: [], ...noted() };
  }

  async #run(
    request: UseRequest,
    call: UseCall,
    { failed, seconds, limits }: { failed: boolean; seconds: number; limits: DialectLimits },
  ): Promise<Done> {
    if (failed && !call.showsScreen) return { outcome: { state: 'skipped' }, bytes: bytesOf() };
    try {
      if (failed) return await this.#shown(request, limits, { state: 'skipped' });
      if ('error' in call.actions) throw new ApiError('invalid_request', call.actions.error);
      if (seconds > MOST_SECONDS) {
        const most = `The calls of a turn wait and hold keys ${MOST_SECONDS} s at most.`;
        throw new ApiError('invalid_request', most);
      }
      return await this.#perform(request, call, call.actions, limits);
    } catch (error) {
      // Remembered, so that a repeated turn does not carry it out again.
      if (request.signal?.aborted) return { outcome: INTERRUPTED, bytes: bytesOf() };
      if (!(error instanceof ApiError) || THROWN.includes(error.code)) throw error;
      return this.#failed(request, call, limits, error);
    }
  }

  async #perform(
    request: UseRequest,
    call: UseCall,
    actions: readonly UseAction[],
    limits: DialectLimits,
  ): Promise<Done> {
    const { record, body, signal } = request;
    const { size: screen, pointer } = await this.#actions.facts(record, signal);
    const last = this.#frames.last(callerOf(request));
    if (last !== undefined && !sameSize(last.screen, screen) && actions.some(hasPlace)) {
      const remedy = call.showsScreen
        ? 'Use the coordinates of the new picture.'
        : 'Take a screenshot before the next action.';
      throw staleFrame(last.screen, screen, remedy);
    }
    const expected = pictureScale(screen, body.max_edge ?? DEFAULT_EDGE, limits);
    const shown = last ?? scaled(screen, expected);
    const translation = {
      pointer,
      screen,
      shown,
      secrets: body.secrets ?? [],
      toScreen: toScreen(call.units, shown, screen),
      picture: (region?: Region) => pictureStep(body, { screen, limits, region }),
    };
    const steps = actions.flatMap((action) => stepsOf(action, translation));
    if (call.showsScreen) steps.push(translation.picture());
    const asked = steps.findLast((step) => step.action === 'screenshot');
    if (steps.length === 0) return { outcome: { state: 'done' }, bytes: bytesOf() };
    const { results } = await this.#batch(request, steps);
    const failure = results.find(isFailure);
    if (failure !== undefined)
      throw new ApiError('guest_failed', failure.error, { remedy: failure.remedy });
    const { picture, frame } = await this.#pictureOf(request, limits, { results, asked, screen });
    const output = outputOf(results, (at) => toPicture(at, screen, shown, call.units));
    const state = output.isFailed ? 'failed' : 'done';
    const notice = noticeOf(results);
    const text = withNotice(output.text, notice);
    const outcome = { state, text, picture, notice } as const;
    return { outcome, bytes: bytesOf(picture, text), frame, notice };
  }

  #batch(request: UseRequest, actions: readonly BatchAction[]): Promise<BatchResult> {
    const { record, by, signal } = request;
    request.onActions?.(actions);
    return this.#actions.batch(record, actions, signal, by);
  }

  /** The answer to a call that failed, with a picture where its dialect always has one. */
  async #failed(
    request: UseRequest,
    call: UseCall,
    limits: DialectLimits,
    error: ApiError,
  ): Promise<Done> {
    const { remedy } = error;
    // The model knows no index or field of the service's own actions.
    const message = error.message.replace(/^actions\.\d+(\.\w+)?: /, '');
    const text = remedy === undefined ? message : `${message} ${remedy}`;
    const outcome = { state: 'failed', text } as const;
    const plain = { outcome, bytes: bytesOf(undefined, text) };
    if (!call.showsScreen) return plain;
    // The answer is remembered, with or without its picture.
    return this.#shown(request, limits, outcome).catch(() => plain);
  }

  /** An outcome with a picture of the screen as it is. */
  async #shown(request: UseRequest, limits: DialectLimits, outcome: Outcome): Promise<Done> {
    const { record, body, signal } = request;
    const { size: screen } = await this.#actions.facts(record, signal);
    const asked = pictureStep({ ...body, settle: false }, { screen, limits });
    const { results } = await this.#batch(request, [asked]);
    const { picture, frame } = await this.#pictureOf(request, limits, { results, asked, screen });
    const notice = noticeOf(results);
    const text = withNotice(outcome.text, notice);
    const bytes = bytesOf(picture, text);
    return { outcome: { ...outcome, text, picture, notice }, bytes, frame, notice };
  }

  /** The last picture among results; a whole one is what the model's next points belong to. */
  async #pictureOf(
    request: UseRequest,
    limits: DialectLimits,
    { results, asked, screen }: Taken,
  ): Promise<{ picture?: UsePicture; frame?: Done['frame'] }> {
    let result = lastPicture(results);
    if (result === undefined || asked === undefined) return {};
    if (result.image.length > limits.characters && asked.format === 'png') {
      const smaller = { ...asked, format: 'jpeg', settle: undefined } as const;
      const again = await this.#batch(request, [smaller]);
      result = lastPicture(again.results) ?? result;
    }
    const { image: data, format, width, height } = result;
    const isWhole = asked.region === undefined;
    const frame = { id: frameId(), width, height, screen, isWhole };
    if (isWhole) this.#frames.shown(callerOf(request), frame);
    return { picture: { data, mediaType: `image/${format}` }, frame };
  }
}
