import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What bridges have if nobody says otherwise. */
const USUAL = 1500;
/** The least that IPv6 allows; less is no network for computers. */
const LEAST = 1280;

/**
 * The MTU of the interface of this host's default route if it is smaller than usual, as in a VPN or
 * an overlay network. Computers whose networks have a larger one would depend on ICMP messages,
 * which many networks drop.
 */
export async function smallHostMtu(root = '/'): Promise<number | undefined> {
  try {
    const routes = await readFile(join(root, 'proc/net/route'), 'utf8');
    const [name] =
      routes
        .split('\n')
        .map((line) => line.split('\t'))
        // Destination and mask: 0.0.0.0/0.
        .filter(([, to, , , , , , mask]) => to === '00000000' && mask === '00000000')
        // The one with the lowest metric is taken.
        .sort((a, b) => Number(a[6]) - Number(b[6]))[0] ?? [];
    if (name === undefined) return undefined;
    const mtu = Number(await readFile(join(root, 'sys/class/net', name, 'mtu'), 'utf8'));
    return mtu < USUAL ? Math.max(mtu, LEAST) : undefined;
  } catch {
    // Not Linux, or no such interface any more.
    return undefined;
  }
}
