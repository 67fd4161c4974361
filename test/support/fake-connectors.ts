import { EventEmitter } from 'node:events';
import { ApiError } from '../../src/contract/errors.js';
import type { Connectors } from '../../src/fleet/session.js';
import type { Screen, ScreenEvents } from '../../src/screen/types.js';
import type { Shell } from '../../src/shell/types.js';

/** A screen of 1280x800 that notes what it was asked to do. */
export class FakeScreen extends EventEmitter<ScreenEvents> implements Screen {
  readonly size = { width: 1280, height: 800 };
  readonly pointer = { x: 640, y: 400 };
  readonly inputs: string[] = [];
  open = true;

  async move(x: number, y: number) {
    if (x >= 1280 || y >= 800) throw new ApiError('off_screen', 'the screen is 1280x800');
    this.inputs.push(`move ${x},${y}`);
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
  async key(combination: string) {
    this.inputs.push(`key ${combination}`);
  }
  async screenshot(options: Parameters<Screen['screenshot']>[0]) {
    return { data: Buffer.from('picture'), format: options.format, width: 1280, height: 800 };
  }
  async waitStable() {
    return true;
  }
  async waitChange() {
    return false;
  }
  close() {
    this.open = false;
  }
}

function fakeShell(): Shell {
  let open = true;
  return {
    get open() {
      return open;
    },
    run: async () => ({
      stdout: 'out',
      stderr: '',
      exitCode: 0,
      timedOut: false,
      truncated: false,
    }),
    python: async () => ({ output: 'out', timedOut: false }),
    spawn: () => Promise.reject(new Error('the fake shell spawns nothing')),
    onClose: () => undefined,
    close: () => {
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
