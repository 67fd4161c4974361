import { spawn } from 'node:child_process';
import type { Environment } from '../profile/index.js';

/** A program that opens a browser has so long, in milliseconds, to say that it cannot. */
const GIVE_UP_MS = 1500;

/** The program that opens an address in the user's browser, by argument vector; none without a display. */
function opener(
  env: Environment,
  platform: NodeJS.Platform,
): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  // Over SSH the display, if any, is seldom the user's own.
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasDisplay ? ['xdg-open'] : undefined;
}

/** Opens `url` in the user's browser. False when there is none or it could not be opened. */
export function openInBrowser(
  url: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const [program, ...args] = opener(env, platform) ?? [];
  if (program === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { env, detached: true, stdio: 'ignore' });
    const timer = setTimeout(() => settle(true), GIVE_UP_MS);
    const settle = (opened: boolean) => {
      clearTimeout(timer);
      child.unref();
      resolve(opened);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
  });
}
