import {
  type AddressRules,
  parseTarget,
  publish,
  ReconnectingStream,
  type Recording,
  record as recordVideo,
  type Target,
} from '../../broadcast/index.js';
import { ApiError } from '../../contract/errors.js';
import type {
  RecordQuery,
  StartStream,
  StreamStarted,
  StreamStatus,
} from '../../contract/streams.js';
import { abortable } from '../../lib/async/abort.js';
import type { Log } from '../../lib/log.js';
import type { Owner } from '../accounts/api-keys.js';
import type { RunningComputers } from '../actions/running-computers.js';
import { inCommands } from '../errors/remedies.js';
import { ScreenSource } from '../sessions/screen-source.js';
import type { Session } from '../sessions/session.js';
import type { Sounds, VideoSound } from '../sound/sounds.js';
import type { ComputerRecord } from '../store/records.js';
import type { ScreenUses } from '../wall/screen-uses.js';
import type { StreamTargets } from './stream-targets.js';

/** Recordings of one computer at once; each encodes for itself. */
const MOST_RECORDINGS = 2;
const MOST_REMEMBERED = 1000;
const STOPPED = 'The computer was stopped or its machine ended.';

export interface StreamsParts {
  readonly running: RunningComputers;
  readonly streamTargets: StreamTargets;
  readonly screenUses: Pick<ScreenUses, 'add'>;
  readonly rules: AddressRules;
  readonly sounds: Pick<Sounds, 'forVideo'>;
  readonly log: Log;
}

/** Live streams and recordings of the computers' screens; at most one stream a computer. */
export class Streams {
  readonly #parts: StreamsParts;
  readonly #streams = new Map<string, ReconnectingStream>();
  /** Computers whose stream is being opened. */
  readonly #opening = new Set<string>();
  readonly #recordings = new Map<string, Set<() => void>>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(parts: StreamsParts) {
    this.#parts = parts;
  }

  /** Starts a stream; resolves when the first frame is on its way to the target. */
  async start(
    owner: Owner,
    record: ComputerRecord,
    input: StartStream,
    signal?: AbortSignal,
  ): Promise<StreamStarted> {
    const target = this.#target(owner, input);
    if (this.#opening.has(record.id) || this.#isStreaming(record.id)) {
      const message = `The computer ${JSON.stringify(record.name)} is streaming already.`;
      const remedy = `Stop that stream first: vc computer stream stop ${inCommands(record)}`;
      throw new ApiError('conflict', message, { remedy });
    }
    this.#opening.add(record.id);
    let stream: ReconnectingStream;
    try {
      const session = await this.#parts.running.session(record, signal);
      stream = await this.#open(session, record, target, input, signal);
    } finally {
      this.#opening.delete(record.id);
    }
    try {
      await abortable(stream.live(), signal);
    } catch (error) {
      await stream.end('The client disconnected before the stream had started.');
      throw error;
    }
    const { pid = 0, startedAt } = stream.status;
    return { success: true, status: 'streaming', pid, start_time: startedAt.toISOString() };
  }

  status(record: ComputerRecord): StreamStatus {
    const stream = this.#streams.get(record.id);
    if (stream === undefined) return { status: 'idle' };
    const { status, startedAt, pid, message } = stream.status;
    return {
      status,
      start_time: startedAt.toISOString(),
      ...(pid === undefined ? {} : { pid }),
      ...(message === undefined ? {} : { message }),
    };
  }

  /** Ends the stream, if any; resolves when it has ended. */
  async stop(record: ComputerRecord): Promise<void> {
    const stream = this.#streams.get(record.id);
    await stream?.end('The stream was stopped.');
    if (this.#streams.get(record.id) === stream) this.#streams.delete(record.id);
  }

  /** Records the screen until the time is over, the client disconnects or the computer stops. */
  async record(
    record: ComputerRecord,
    { duration, fps, bitrate, audio }: RecordQuery,
    signal?: AbortSignal,
  ): Promise<Recording> {
    const session = await this.#parts.running.session(record, signal);
    const recordings = this.#recordings.get(record.id) ?? new Set();
    if (recordings.size >= MOST_RECORDINGS) {
      const message = `${MOST_RECORDINGS} recordings of ${JSON.stringify(record.name)} run already, which is the limit.`;
      throw new ApiError('limit_reached', message, { remedy: 'End one of them first.' });
    }
    const ending = new AbortController();
    const end = () => ending.abort();
    this.#recordings.set(record.id, recordings.add(end));
    const release = session.onClose(end);
    const used = this.#parts.screenUses.add(record, { kind: 'recording' });
    let source: ScreenSource | undefined;
    let sound: VideoSound | undefined;
    const close = () => {
      release();
      used();
      source?.close();
      sound?.close();
      recordings.delete(end);
      if (recordings.size === 0) this.#recordings.delete(record.id);
    };
    try {
      if (audio) sound = await this.#parts.sounds.forVideo(session, signal);
      source = await ScreenSource.open(session.screen, fps, end);
      signal?.throwIfAborted();
      const video = { fps, bitrate };
      const options = { source, video, sound: sound?.buffer, signal: ending.signal };
      const durationMs = duration === undefined ? {} : { durationMs: duration * 1000 };
      const recording = await recordVideo({ ...options, ...durationMs });
      this.#track(recording.ended.finally(close));
      return recording;
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Ends all streams and recordings; resolves when they have ended. */
  async close(): Promise<void> {
    for (const stream of this.#streams.values()) void stream.end('The service stops.');
    for (const recordings of this.#recordings.values()) for (const end of recordings) end();
    await Promise.all(this.#running);
  }

  #target(owner: Owner, { connection_name: name, url }: StartStream): Target {
    return name === undefined
      ? parseTarget(url ?? '')
      : this.#parts.streamTargets.target(owner, name);
  }

  #isStreaming(id: string): boolean {
    return this.#streams.get(id)?.status.status === 'streaming';
  }

  async #open(
    session: Session,
    record: ComputerRecord,
    target: Target,
    { fps, bitrate, audio }: StartStream,
    signal: AbortSignal | undefined,
  ): Promise<ReconnectingStream> {
    const { rules, log, sounds } = this.#parts;
    const end = (reason: string) => void stream.end(reason);
    const heard = audio ? await sounds.forVideo(session, signal) : undefined;
    const video = { fps, bitrate };
    const source = await ScreenSource.open(session.screen, fps, () => {
      end('The screen did not come back.');
    }).catch((error: unknown) => {
      heard?.close();
      throw error;
    });
    const sound = heard?.buffer;
    const stream = new ReconnectingStream({
      attempt: (signal, onLive) => publish({ target, rules, video, source, sound }, signal, onLive),
      label: target.label,
      onTrouble: (message) => log.info({ computer: record.id, message }, 'stream'),
    });
    const release = session.onClose(() => end(STOPPED));
    const used = this.#parts.screenUses.add(record, { kind: 'stream' });
    const over = stream.over.finally(() => {
      release();
      used();
      source.close();
      heard?.close();
    });
    this.#track(over);
    this.#streams.set(record.id, stream);
    this.#dropOldest();
    return stream;
  }

  /** Limits how many ended streams are kept for their status. */
  #dropOldest(): void {
    if (this.#streams.size <= MOST_REMEMBERED) return;
    const ended = [...this.#streams].find(([, { status }]) => status.status === 'terminated');
    if (ended !== undefined) this.#streams.delete(ended[0]);
  }

  #track(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }
}
