import type { ViewMode } from '../contract/view.js';
import type { Region, Screen } from '../screen/types.js';
import { type ClientMessage, ClientReader, ViewerError } from './client-messages.js';
import { Encoder } from './encoder.js';
import { Frames } from './frames.js';
import { InputGate, type Turns } from './input-gate.js';
import { Overlay } from './overlay.js';
import * as messages from './server-messages.js';

/** The way to a viewer's browser. */
export interface ViewerChannel {
  /** Resolves when the network has taken it, or the viewer has gone. */
  send(data: Buffer): Promise<void>;
  /** A text that somebody in the computer copied. */
  sendClipboard(text: string): void;
}

export interface ViewerOptions {
  readonly channel: ViewerChannel;
  readonly mode: ViewMode;
  /** The desktop's name. */
  readonly name: string;
  /** Called when the viewer does not keep to the protocol. */
  onError(error: ViewerError): void;
}

/** What the present screen brings along. */
interface Scene {
  readonly screen: Screen;
  readonly frames: Frames;
  readonly overlay: Overlay;
  readonly gate: InputGate | undefined;
}

/**
 * One viewer of a computer's screen: a small RFB server, fed from a screen that others share. It
 * asks the guest for nothing of its own, sends a frame only when the last one was taken, and in
 * mode `view` drops every input. It outlives a screen: after a restart it goes on with the next.
 */
export class Viewer {
  readonly #options: ViewerOptions;
  readonly #reader = new ClientReader();
  readonly #encoder = new Encoder();
  #stage: 'new' | 'version' | 'security' | 'init' | 'ready' = 'new';
  #scene: Scene | undefined;
  /** What the browser believes the size to be, and what it still waits for. */
  #size = { width: 0, height: 0 };
  #wanted: Region | 'changes' | undefined;

  constructor(options: ViewerOptions) {
    this.#options = options;
  }

  /**
   * Shows a screen until it closes or `signal` is aborted. Rejects with what keeps the screen from
   * being shown; the viewer can be shown another one afterwards.
   */
  async show(screen: Screen, turns: Turns, signal: AbortSignal): Promise<void> {
    const { mode, channel } = this.#options;
    let end: (error?: unknown) => void = () => {};
    const ended = new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error));
    });
    ended.catch(() => {});
    const overlay = new Overlay(screen);
    const gate = mode === 'control' ? new InputGate(turns, screen.raw, end) : undefined;
    const { size } = this;
    const frames = new Frames({ screen, overlay, channel, encoder: this.#encoder, size, end });
    const onCopied = (text: string) => channel.sendClipboard(text);
    const onClose = () => end();
    this.#scene = { screen, frames, overlay, gate };
    screen.on('close', onClose);
    if (mode === 'control') screen.on('clipboard', onCopied);
    signal.addEventListener('abort', onClose, { once: true });
    try {
      if (signal.aborted || !screen.open) return;
      await this.#begin();
      await ended;
    } finally {
      this.#scene = undefined;
      this.#size = frames.size;
      this.#wanted = await frames.close();
      gate?.close();
      screen.off('close', onClose);
      screen.off('clipboard', onCopied);
      signal.removeEventListener('abort', onClose);
    }
  }

  get size() {
    return this.#size;
  }

  /** Bytes of the viewer. What does not keep to the protocol ends it. */
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
      case 'format':
        if (messages.isOurFormat(message.format)) break;
        throw new ViewerError('the viewer wants another pixel format than 32-bit RGB');
      case 'encodings':
        this.#encoder.accept(message.encodings);
        break;
      case 'request':
        this.#request(message.incremental ? 'changes' : message.region);
        break;
      case 'key':
        this.#scene?.gate?.push(message);
        break;
      case 'pointer':
        if (this.#scene?.gate === undefined) break;
        this.#scene.overlay.claim({ x: message.x, y: message.y });
        this.#scene.gate.push(message);
        break;
    }
  }

  #agreeVersion(text: string): void {
    if (!/^RFB 003\.00[78]\n$/.test(text)) throw new ViewerError('the viewer speaks no RFB 3.8');
    this.#stage = 'security';
    void this.#options.channel.send(messages.SECURITY_TYPES);
  }

  /** The security type that was chosen, then ClientInit. */
  #opening(value: number): void {
    const { channel, name } = this.#options;
    if (this.#stage === 'security') {
      if (value !== 1)
        throw new ViewerError('the viewer chose a security type that was not offered');
      this.#stage = 'init';
      void channel.send(messages.SECURITY_OK);
      return;
    }
    // A screen that has just gone leaves the size open until the next one tells it by itself.
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
