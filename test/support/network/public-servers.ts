import { execa } from 'execa';
import { eventually } from '../eventually.js';
import { SPEED } from './public.js';

/** An address that counts as public. */
export const PUBLIC = '192.52.193.130';

/** Runs `work` while the host reaches servers at {@link PUBLIC}: port 8080 greets, the others are {@link SPEED}. */
export async function withPublicServers(work: () => Promise<void>): Promise<void> {
  const name = `vcpub${process.pid}`;
  await execa('ip', ['netns', 'add', name]);
  const out = (...args: readonly string[]) => execa('ip', ['netns', 'exec', name, ...args]);
  const greeter = ['TCP4-LISTEN:8080,fork,reuseaddr', 'SYSTEM:echo public'];
  try {
    await execa('ip', ['link', 'add', 'vcpub0', 'type', 'veth', 'peer', 'name', 'vcpub1']);
    await execa('ip', ['link', 'set', 'vcpub1', 'netns', name]);
    await execa('ip', ['address', 'add', '192.52.193.129/30', 'dev', 'vcpub0']);
    await execa('ip', ['link', 'set', 'vcpub0', 'up']);
    await out('ip', 'address', 'add', `${PUBLIC}/30`, 'dev', 'vcpub1');
    await out('ip', 'link', 'set', 'vcpub1', 'up');
    const listening = [greeter, ...SPEED].map((line) => out('socat', ...line));
    for (const each of listening) each.catch(() => undefined);
    try {
      await eventually(async () => (await out('ss', '-Hltn')).stdout.split('\n').length === 3);
      await work();
    } finally {
      for (const each of listening) each.kill('SIGKILL');
    }
  } finally {
    await execa('ip', ['link', 'del', 'vcpub0']).catch(() => undefined);
    await execa('ip', ['netns', 'del', name]);
  }
}
