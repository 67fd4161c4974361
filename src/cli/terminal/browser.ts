import { spawn } from 'node:child_process';
import type { Environment } from '../../profile/index.js';

/** An opener that has not failed within this time is assumed to work. */
const OPENED_AFTER_MS = 1500;

/** Argument vector of the program that opens a URL; undefined without a display. */
function opener(
  env: Environment,
  platform: NodeJS.Platform,
): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return hasDisplay ? ['xdg-open'] : undefined;
}

/** Opens `url` in the user's browser; false if that fails. */
export function openInBrowser(
  url: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const [program, ...args] = opener(env, platform) ?? [];
  if (program === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { env, detached: true, stdio: 'ignore' });
    const timer = setTimeout(() => settle(true), OPENED_AFTER_MS);
    const settle = (opened: boolean) => {
      clearTimeout(timer);
      child.unref();
      resolve(opened);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
  });
}
