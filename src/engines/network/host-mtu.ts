import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What bridges have if nobody says otherwise. */
const USUAL = 1500;
/** The least that IPv6 allows; less is no network for computers. */
const LEAST = 1280;
/** Of routes to 0.0.0.0: /0 and /1, in the byte order of the kernel's list. */
const MASKS = ['00000000', '00000080'];

/**
 * The MTU of the interface of this host's default route if it is smaller than usual, as in a VPN or
 * an overlay network. Computers whose networks have a larger one would depend on ICMP messages,
 * which many networks drop. Not seen: a VPN whose default route is in a table of its own (WireGuard's
 * wg-quick), one without an interface (IPsec policies), and one for single networks.
 *
 * Reads at once: the list has a line for each route, of which hosts have few, and reads in the background
 * wait for others.
 */
export function smallHostMtu(root = '/'): number | undefined {
  try {
    const routes = readFileSync(join(root, 'proc/net/route'), 'utf8');
    const [name] =
      routes
        .split('\n')
        .map((line) => line.split('\t'))
        // Destination and mask: 0.0.0.0/0, or 0.0.0.0/1, with which OpenVPN overrides it.
        .filter(([, to, , , , , , mask = '']) => to === '00000000' && MASKS.includes(mask))
        // The more specific one is taken, then the one with the lowest metric.
        .sort((a, b) => lengthOf(b) - lengthOf(a) || Number(a[6]) - Number(b[6]))[0] ?? [];
    if (name === undefined) return undefined;
    const mtu = Number(readFileSync(join(root, 'sys/class/net', name, 'mtu'), 'utf8'));
    return mtu < USUAL ? Math.max(mtu, LEAST) : undefined;
  } catch {
    // Not Linux, or no such interface any more.
    return undefined;
  }
}

/** Length of a route's prefix. */
const lengthOf = (route: readonly string[]) => MASKS.indexOf(route[7] ?? '');
