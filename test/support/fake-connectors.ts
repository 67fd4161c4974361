import { EventEmitter } from 'node:events';
import { ApiError } from '../../src/contract/errors.js';
import type { Connectors } from '../../src/fleet/sessions/session.js';
import { DamageLog } from '../../src/screen/model/damage-log.js';
import type { Region, Screen, ScreenEvents, Size } from '../../src/screen/types.js';
import type { Shell } from '../../src/shell/types.js';

/** A screen of 1280x800 that records its input. */
export class FakeScreen extends EventEmitter<ScreenEvents> implements Screen {
  size = { width: 1280, height: 800 };
  /** Whether it takes another size. */
  resizes = true;
  readonly pointer = { x: 640, y: 400 };
  readonly changes = new DamageLog();
  readonly inputs: string[] = [];
  readonly holdsText = false;
  /** The text of the clipboard. */
  text: string | undefined = '';
  open = true;

  async move(x: number, y: number) {
    if (x >= 1280 || y >= 800) throw new ApiError('off_screen', 'the screen is 1280x800');
    this.inputs.push(`move ${x},${y}`);
  }
  async resize(size: Size) {
    if (this.resizes) this.size = size;
    return this.resizes;
  }
  async click(input: Parameters<Screen['click']>[0]) {
    this.inputs.push(`${input.button} x${input.clicks} ${input.x},${input.y}`);
  }
  async drag(input: Parameters<Screen['drag']>[0]) {
    this.inputs.push(`drag ${input.points.join(' ')}`);
  }
  async scroll(input: Parameters<Screen['scroll']>[0]) {
    this.inputs.push(`scroll ${input.direction} ${input.amount}`);
  }
  async type(text: string) {
    this.inputs.push(`type ${text}`);
  }
  async key(combination: string, { repeat = 1 }: { repeat?: number } = {}) {
    for (let press = 0; press < repeat; press++) this.inputs.push(`key ${combination}`);
  }
  /** Keys and buttons that stay pressed. */
  readonly held = new Set<string>();
  get holding() {
    return this.held.size > 0;
  }
  async press({ button, at }: Parameters<Screen['press']>[0]) {
    this.held.add(button);
    this.inputs.push(`press ${button}${at ? ` ${at.x},${at.y}` : ''}`);
  }
  async release({ button, at }: Parameters<Screen['release']>[0]) {
    this.held.delete(button);
    this.inputs.push(`release ${button}${at ? ` ${at.x},${at.y}` : ''}`);
  }
  async keyDown(combination: string) {
    this.held.add(combination);
    this.inputs.push(`down ${combination}`);
  }
  async keyUp(combination: string) {
    this.held.delete(combination);
    this.inputs.push(`up ${combination}`);
  }
  async releaseAll() {
    if (this.holding) this.inputs.push(`release all`);
    this.held.clear();
  }
  async screenshot(options: Parameters<Screen['screenshot']>[0]) {
    return { data: Buffer.from('picture'), format: options.format, width: 1280, height: 800 };
  }
  readonly cursor = undefined;
  /** Tells listeners that regions have changed. */
  change(...regions: readonly Region[]) {
    this.changes.push(regions);
    this.emit('damage');
  }
  /** Held keys and buttons, as `key N` and `buttons N`; releases are recorded in {@link inputs}. */
  readonly raw = this.#makeRaw();
  async settle() {
    this.inputs.push('settle');
    return true;
  }
  async pixels(regions: readonly Region[]) {
    return regions.map(({ width, height }) => Buffer.alloc(width * height * 4, 0x40));
  }
  setClipboard(text: string) {
    this.inputs.push(`clipboard ${text}`);
    this.text = text;
    return Promise.resolve();
  }
  clipboard() {
    return Promise.resolve(this.text);
  }
  copy(text: string) {
    this.inputs.push(`copy ${text}`);
  }
  /** Of the picture: grows when it changes. */
  version = 1;
  async refresh() {
    return this.version;
  }
  changedSince() {
    return [{ x: 0, y: 0, ...this.size }];
  }
  async waitStable() {
    return true;
  }
  async waitChange() {
    return false;
  }
  videoFrame() {
    const { size } = this;
    const picture = Buffer.alloc((size.width * size.height * 3) / 2, 128);
    const read = (target: Buffer) => void picture.copy(target);
    return { size, version: 1, open: true, read, stop: () => undefined };
  }
  close() {
    if (!this.open) return;
    this.open = false;
    this.emit('close');
  }

  #makeRaw(): Screen['raw'] {
    const { inputs } = this;
    const held = new Set<string>();
    const raw: Pick<Screen['raw'], 'holding' | 'pointer' | 'key' | 'type' | 'flush' | 'release'> = {
      get holding() {
        return held.size > 0;
      },
      pointer: async (x, y, buttons) => {
        inputs.push(`pointer ${x},${y} ${buttons}`);
        if (buttons === 0) held.delete('buttons');
        else held.add('buttons');
      },
      key: async (action, keysym) => {
        inputs.push(`${action} ${keysym.toString(16)}`);
        if (action === 'press') held.add(String(keysym));
        else held.delete(String(keysym));
      },
      type: async (text) => void inputs.push(`type ${text}`),
      flush: async () => undefined,
      release: async () => {
        if (held.size > 0) inputs.push('release all');
        held.clear();
      },
    };
    return raw as Screen['raw'];
  }
}

const nothing = () => Promise.reject(new Error('the fake computer has none'));

/** What scripts of the service print, by a part of them. */
const OUTPUTS = [
  ['vc-browser', 'missing\n'],
  ['VC_PROGRAM', '{"elements": [], "truncated": false}\n'],
] as const;

function fakeShell(): Shell {
  let open = true;
  return {
    get open() {
      return open;
    },
    holding: false,
    run: async ({ command }) => ({
      stdout: OUTPUTS.find(([part]) => command.includes(part))?.[1] ?? 'out',
      stderr: '',
      exitCode: 0,
      timedOut: false,
      truncated: false,
    }),
    python: async () => ({ output: 'out', timedOut: false, truncated: false }),
    spawn: () => Promise.reject(new Error('the fake shell spawns nothing')),
    files: {
      read: nothing,
      write: nothing,
      entry: nothing,
      list: nothing,
      makeDirectory: nothing,
      makeLink: nothing,
      remove: nothing,
      rename: nothing,
    },
    jobs: { list: async () => [], get: nothing, end: nothing, settled: nothing },
    keepAlive: () => undefined,
    connect: nothing,
    onClose: () => undefined,
    close: () => {
      open = false;
    },
    destroy: () => {
      open = false;
    },
  };
}

/** Connections that are ready at once. `screens` holds every screen that was opened. */
export function fakeConnectors(): Connectors & { screens: FakeScreen[] } {
  const screens: FakeScreen[] = [];
  return {
    screens,
    openScreen: async () => {
      const screen = new FakeScreen();
      screens.push(screen);
      return screen;
    },
    openShell: async () => fakeShell(),
  };
}
