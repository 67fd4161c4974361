import type { ViewMode } from '../contract/sockets/view.js';
import { onAbort } from '../lib/async/abort.js';
import { deferred } from '../lib/async/deferred.js';
import type { CopiedText, Region, Screen } from '../screen/types.js';
import type { ViewerChannel } from './channel.js';
import { type ClientMessage, ClientReader, ViewerError } from './client-messages.js';
import { Encoder } from './encoder.js';
import { Frames } from './frames.js';
import { InputGate, type InputQueue } from './input-gate.js';
import { Overlay } from './overlay.js';
import * as messages from './server-messages.js';

interface ViewerOptions {
  readonly channel: ViewerChannel;
  readonly mode: ViewMode;
  /** Whether input is taken now; called for each. */
  readonly mayControl?: () => boolean;
  /** The desktop's name. */
  readonly name: string;
  /** Called when the viewer violates the protocol. */
  onError(error: ViewerError): void;
}

/** Per-screen state. */
interface Scene {
  readonly screen: Screen;
  readonly frames: Frames;
  readonly overlay: Overlay;
  readonly gate: InputGate | undefined;
}

/**
 * One viewer of a computer's screen: a small RFB server on top of a shared screen. It requests
 * nothing from the guest itself, sends a frame only after the viewer has received the last one, and
 * in mode `view` drops all input. It outlives a screen: after a restart it shows the next one.
 */
export class Viewer {
  readonly #options: ViewerOptions;
  readonly #reader = new ClientReader();
  readonly #encoder = new Encoder();
  #stage: 'new' | 'version' | 'security' | 'init' | 'ready' = 'new';
  #scene: Scene | undefined;
  /** The size last sent to the browser, and its pending request. */
  #size = { width: 0, height: 0 };
  #wanted: Region | 'changes' | undefined;
  /** When the viewer was sent something that it answers at once, and the shortest time that it took, in milliseconds. */
  #askedAt = 0;
  #answerMs = Number.POSITIVE_INFINITY;

  constructor(options: ViewerOptions) {
    this.#options = options;
  }

  /**
   * Shows a screen until it closes or `signal` is aborted. Rejects when the screen fails; the
   * viewer can show another one afterwards.
   */
  async show(screen: Screen, queue: InputQueue, signal: AbortSignal): Promise<void> {
    const { mode, channel } = this.#options;
    const ended = deferred<void>();
    const overlay = new Overlay(screen);
    const gate = mode === 'control' ? new InputGate(queue, screen.raw, ended.reject) : undefined;
    const shared = { screen, overlay, channel, encoder: this.#encoder };
    const frames = new Frames({ ...shared, size: this.#size, onFailure: ended.reject });
    const onCopied = (copied: CopiedText) => channel.sendClipboard(copied);
    const onClose = () => ended.resolve();
    this.#scene = { screen, frames, overlay, gate };
    screen.on('close', onClose);
    if (mode === 'control') screen.on('clipboard', onCopied);
    const dispose = onAbort(signal, onClose);
    try {
      if (signal.aborted || !screen.open) return;
      await this.#begin();
      await ended.promise;
    } finally {
      this.#scene = undefined;
      this.#size = frames.size;
      this.#wanted = await frames.close();
      gate?.close();
      screen.off('close', onClose);
      screen.off('clipboard', onCopied);
      dispose();
    }
  }

  /** Handles bytes from the viewer; reports a protocol violation to `onError`. */
  receive(chunk: Buffer): void {
    try {
      for (const message of this.#reader.read(chunk)) this.#take(message);
    } catch (error) {
      if (!(error instanceof ViewerError)) throw error;
      this.#options.onError(error);
    }
  }

  /** Puts a text on the computer's clipboard. */
  copy(text: string): void {
    if (this.#options.mode === 'control' && this.#scene?.screen.open) this.#scene.screen.copy(text);
  }

  /** Types a text after the keys that wait. */
  type(text: string): void {
    this.#scene?.gate?.push({ kind: 'text', text });
  }

  /** Releases what the viewer holds down, and drops its input that waits. */
  releaseInput(): void {
    this.#scene?.gate?.release();
  }

  close(): void {
    this.#encoder.close();
  }

  async #begin(): Promise<void> {
    if (this.#stage === 'new') {
      this.#stage = 'version';
      await this.#options.channel.send(messages.VERSION);
    } else if (this.#stage === 'ready') this.#scene?.frames.start(this.#wanted);
  }

  #take(message: ClientMessage): void {
    switch (message.kind) {
      case 'version':
        this.#agreeVersion(message.text);
        break;
      case 'byte':
        this.#opening(message.value);
        break;
      case 'format': {
        const order = messages.pixelOrder(message.format);
        if (order !== undefined) this.#encoder.order(order);
        else
          throw new ViewerError('the viewer requested a pixel format without 32-bit true colour');
        break;
      }
      case 'encodings':
        this.#encoder.accept(message.encodings);
        break;
      case 'request':
        this.#request(message.incremental ? 'changes' : message.region);
        break;
      case 'key':
        // Only input that is taken is a sign of life of who has control.
        if (this.#scene?.gate === undefined || this.#options.mayControl?.() === false) break;
        this.#scene.gate.push(message);
        break;
      case 'cutText':
        if (this.#options.mayControl?.() !== false) this.copy(message.text);
        break;
      case 'pointer':
        if (this.#scene?.gate === undefined || this.#options.mayControl?.() === false) break;
        this.#scene.overlay.claim({ x: message.x, y: message.y });
        this.#scene.gate.push(message);
        break;
    }
  }

  #agreeVersion(text: string): void {
    if (!/^RFB 003\.00[78]\n$/.test(text)) {
      throw new ViewerError('the viewer does not support RFB 3.8');
    }
    this.#stage = 'security';
    this.#askedAt = performance.now();
    void this.#options.channel.send(messages.SECURITY_TYPES);
  }

  /** Handles the chosen security type, then ClientInit. */
  #opening(value: number): void {
    const { channel, name } = this.#options;
    this.#answerMs = Math.min(this.#answerMs, performance.now() - this.#askedAt);
    if (this.#stage === 'security') {
      if (value !== 1) throw new ViewerError('the viewer chose an unknown security type');
      this.#stage = 'init';
      this.#askedAt = performance.now();
      void channel.send(messages.SECURITY_OK);
      return;
    }
    this.#encoder.answered(this.#answerMs);
    // Without a screen, the next one announces its size.
    this.#size = this.#scene?.screen.size ?? { width: 1, height: 1 };
    this.#stage = 'ready';
    void channel.send(messages.serverInit(this.#size, name));
    this.#scene?.frames.restart(this.#size);
  }

  #request(wanted: Region | 'changes'): void {
    const frames = this.#scene?.frames;
    if (frames === undefined) this.#wanted = this.#wanted ?? wanted;
    else frames.request(wanted);
  }
}
