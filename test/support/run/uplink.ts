import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';

/**
 * Connects the network namespace of the engine under test to the internet, without a change to the
 * host's network. An engine in the host's network needs none.
 */
export async function openUplink(): Promise<{ close(): Promise<void> }> {
  const pid = namespaceOf();
  if (pid === undefined) return { close: async () => undefined };
  const restoreRoute = replaceDefaultRoute(pid);
  const child = spawn(
    'setpriv',
    [
      // One at a time, also of several test files.
      ...['--pdeathsig', 'TERM', 'flock', '--no-fork', join(tmpdir(), `vc-uplink-${pid}.lock`)],
      ...['slirp4netns', '--configure', '--disable-host-loopback'],
      ...['--mtu=1500', '--ready-fd=3', `${pid}`, 'tap0'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] },
  );
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdio[3] as NodeJS.ReadableStream, 'data'), failed(ended)]);
  return {
    close: async () => {
      child.kill('SIGTERM');
      await ended;
      restoreRoute();
    },
  };
}

/** Removes the default route of a namespace, in place of which slirp4netns adds its own. */
function replaceDefaultRoute(pid: number): () => void {
  const route = (...words: string[]) =>
    execFileSync('nsenter', ['--target', `${pid}`, '--net', 'ip', 'route', ...words], {
      encoding: 'utf8',
    }).trim();
  const present = route('show', 'default');
  if (present === '') return () => undefined;
  route('delete', 'default');
  return () => void route('replace', ...present.split(/\s+/));
}

async function failed(ended: Promise<unknown[]>): Promise<never> {
  const [code] = await ended;
  throw new Error(`slirp4netns ended with exit code ${code}`);
}

/** A process in the namespace; undefined if the engine is in the host's network. */
function namespaceOf(): number | undefined {
  if (inject('engine') === 'docker') return inject('dockerPid') || undefined;
  if (inject('engine') === 'podman') return inject('podman').pid;
  if (inject('engine') === 'incus') return inject('clusterPid') || undefined;
  return undefined;
}
