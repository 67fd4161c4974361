import { open } from 'node:fs/promises';
import { SocketAddress } from 'node:net';
import { endianness } from 'node:os';

/** A listening TCP socket of this host, and the user who opened it. */
interface Listener {
  readonly address: string;
  readonly port: number;
  readonly uid: number;
}

/** The state LISTEN in /proc/net/tcp; these rows come first. */
const LISTEN = '0A';

/**
 * The users whose sockets take connections to `address` and `port` of this network namespace, Linux
 * only. As in the kernel, a socket bound to the address goes before one bound to all addresses.
 * Empty if nothing listens there.
 */
export async function listenerUids(address: string, port: number): Promise<number[]> {
  const ipv4 = withoutMapping(address);
  const [tcp, tcp6] = await Promise.all([listeners('tcp', port), listeners('tcp6', port)]);
  const isIpv4 = !ipv4.includes(':');
  const exact = [...tcp, ...tcp6].filter((one) => withoutMapping(one.address) === ipv4);
  const all4 = isIpv4 ? tcp.filter((one) => one.address === '0.0.0.0') : [];
  const all6 = tcp6.filter((one) => one.address === '::');
  const found = [exact, all4, all6].find(({ length }) => length > 0) ?? [];
  return found.map(({ uid }) => uid);
}

/** An IPv4 address mapped into IPv6 as IPv4; without the zone of a link-local address. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

async function listeners(table: 'tcp' | 'tcp6', port: number): Promise<Listener[]> {
  return parseListeners(await readListening(`/proc/net/${table}`)).filter(
    (listener) => listener.port === port,
  );
}

/** The file up to its first connection: listing many connections is slow. */
async function readListening(path: string): Promise<string> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path);
  } catch (error) {
    // A kernel without IPv6 has no tcp6.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
  try {
    let text = '';
    for (const buffer = Buffer.alloc(16_384); ; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      text += buffer.toString('latin1', 0, bytesRead);
      const last = text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1) ?? '';
      const isPast = /^\s*\d+:/.test(last) && last.trim().split(/\s+/)[3] !== LISTEN;
      if (bytesRead === 0 || isPast) return text;
    }
  } finally {
    await file.close();
  }
}

/** Format: https://docs.kernel.org/networking/proc_net_tcp.html */
export function parseListeners(text: string): Listener[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== LISTEN) return [];
    return [{ address: readAddress(address), port: Number.parseInt(port, 16), uid: Number(uid) }];
  });
}

/** Words of 32 bits in the host's byte order. */
function readAddress(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  if (endianness() === 'LE') bytes.swap32();
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}
