import { execa } from 'execa';
import { eventually } from '../eventually.js';
import { SPEED } from './public.js';

/** An address that counts as public. */
export const PUBLIC = '192.52.193.130';

/** Runs `work` while the host reaches servers at {@link PUBLIC}: port 8080 greets, the others are {@link SPEED}. */
export async function withPublicServers(work: () => Promise<void>): Promise<void> {
  const close = await openPublicServers();
  try {
    await work();
  } finally {
    await close();
  }
}

/** Starts the same servers for the network namespace of process `pid`; returns a function that ends them. */
export async function openPublicServers(pid = process.pid): Promise<() => Promise<void>> {
  const name = `vcpub${process.pid}`;
  const at = (...args: readonly string[]) => execa('nsenter', ['-t', `${pid}`, '-n', ...args]);
  const out = (...args: readonly string[]) => execa('ip', ['netns', 'exec', name, ...args]);
  const greeter = ['TCP4-LISTEN:8080,fork,reuseaddr', 'SYSTEM:echo public'];
  const listening: ReturnType<typeof out>[] = [];
  const close = async () => {
    for (const each of listening) each.kill('SIGKILL');
    await at('ip', 'link', 'del', 'vcpub0').catch(() => undefined);
    await execa('ip', ['netns', 'del', name]);
  };
  await execa('ip', ['netns', 'add', name]);
  try {
    const peer = ['type', 'veth', 'peer', 'name', 'vcpub1', 'netns', name];
    await at('ip', 'link', 'add', 'vcpub0', ...peer);
    await at('ip', 'address', 'add', '192.52.193.129/30', 'dev', 'vcpub0');
    await at('ip', 'link', 'set', 'vcpub0', 'up');
    await out('ip', 'address', 'add', `${PUBLIC}/30`, 'dev', 'vcpub1');
    await out('ip', 'link', 'set', 'vcpub1', 'up');
    listening.push(...[greeter, ...SPEED].map((line) => out('socat', ...line)));
    for (const each of listening) each.catch(() => undefined);
    await eventually(async () => (await out('ss', '-Hltn')).stdout.split('\n').length === 3);
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}
