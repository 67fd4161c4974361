import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';

/**
 * A TCP socket of this host. Its ends are hexadecimal, as the kernel writes them:
 * https://docs.kernel.org/networking/proc_net_tcp.html
 */
interface Row {
  readonly local: string;
  readonly remote: string;
  readonly state: string;
  readonly uid: number;
  /** 0 for a connection that has not been accepted or was closed. */
  readonly inode: number;
}

const LISTENING = '0A';
/** An IPv4 address mapped into IPv6. */
const MAPPED = /^0{16}FFFF0000/;
const ANY = ['0'.repeat(8), '0'.repeat(32)];

/**
 * True if this user or root has opened a loopback connection that this process has accepted, and has not
 * closed it. Linux only.
 */
export function isOfThisUser(socket: Socket): boolean {
  const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = socket;
  const [own, other] = [
    `${addressOf(localAddress)}:${portOf(localPort)}`,
    `${addressOf(remoteAddress)}:${portOf(remotePort)}`,
  ];
  const row = readRows().find(({ local, remote }) => local === other && remote === own);
  if (row === undefined || row.inode === 0) return false;
  return row.uid === 0 || row.uid === process.geteuid?.();
}

/** The sockets that accept connections to a loopback or IPv4 address of this host. Linux only. */
export function listeningSockets(address: string, port: number): Pick<Row, 'inode' | 'uid'>[] {
  const ends = [addressOf(address), ...ANY].map((each) => `${each}:${portOf(port)}`);
  return readRows().filter(({ local, state }) => state === LISTENING && ends.includes(local));
}

function readRows(): Row[] {
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => {
    const [, ...lines] = readTable(path).trimEnd().split('\n');
    return lines.map((line) => {
      const [, local = '', remote = '', state = '', , , , uid, , inode] = line.trim().split(/\s+/);
      return {
        local: local.replace(MAPPED, ''),
        remote: remote.replace(MAPPED, ''),
        state,
        uid: Number(uid),
        inode: Number(inode),
      };
    });
  });
}

/** Empty where there is no such table: not Linux, or a kernel without IPv6. */
function readTable(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function addressOf(address: string): string {
  const ipv4 = address.replace(/^::ffff:/i, '').split('.');
  const bytes = ipv4.length === 4 ? Buffer.from(ipv4.map(Number)) : Buffer.alloc(16);
  if (address === '::1') bytes[15] = 1;
  // Words of 32 bits in the host's byte order.
  return (endianness() === 'LE' ? bytes.swap32() : bytes).toString('hex').toUpperCase();
}

function portOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
