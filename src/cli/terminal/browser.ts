import { spawn } from 'node:child_process';
import { resolvesWithin } from '../../lib/async/deadline.js';
import type { Environment } from '../../profile/index.js';

/** An opener that has not failed within this time is assumed to work. */
const OPENED_AFTER_MS = 1500;
/** Milliseconds for a browser to start and load the link. */
const VISITED_AFTER_MS = 30_000;

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

/**
 * Opens `url`, which may log in its first visitor, in the user's browser; false if that fails. On Linux
 * no program has it as an argument, because all users of the host could read it there.
 */
export async function openInBrowser(
  url: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const argv = opener(env, platform);
  if (argv === undefined) return false;
  if (platform !== 'linux') return start([...argv, url], env);
  const { openPrivateLink } = await import('./private-link.js');
  const link = await openPrivateLink(url);
  try {
    if (!(await start([...argv, link.address], env, link.visited))) return false;
    const isVisited = await resolvesWithin(link.visited, VISITED_AFTER_MS);
    return isVisited && (await link.visited);
  } finally {
    link.close();
  }
}

/** False if the program fails before `done`. */
function start(
  [program = '', ...args]: readonly string[],
  env: Environment,
  done?: Promise<unknown>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, detached: true, stdio: 'ignore' });
    const timer = setTimeout(() => settle(true), OPENED_AFTER_MS);
    const settle = (opened: boolean) => {
      clearTimeout(timer);
      child.unref();
      resolve(opened);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
    void done?.then(() => settle(true));
  });
}
