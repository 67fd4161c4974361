import { closeSync, openSync, readSync } from 'node:fs';
import { SocketAddress } from 'node:net';
import { endianness } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The two ends of a TCP connection of this process. */
export interface Connection {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** A TCP socket of this network namespace, and the user who opened it. */
interface Row {
  readonly address: string;
  readonly port: number;
  /** Both ends as the kernel writes them. */
  readonly ends: string;
  readonly isListening: boolean;
  readonly uid: number;
  /** 0 for a connection that its listener has not accepted yet, and for one that was closed. */
  readonly inode: number;
}

const LISTEN = '0A';

/**
 * The users who have accepted a connection that this process has opened to this host, Linux only. Empty
 * if nothing of this network namespace has it or listens there.
 *
 * One that waits to be accepted, or that a firewall redirects, belongs to those who listen there:
 * listening sockets are read first, so a connection that waits afterwards is theirs. As in the kernel,
 * a socket bound to the address goes before one bound to all addresses.
 */
export async function acceptingUids(connection: Connection): Promise<number[]> {
  const { uids, listening } = await findOtherEnds([connection]);
  const uid = uids.get(connection);
  return uid === undefined ? uidsOfListeners(connection, listening) : [uid];
}

/**
 * The users who have opened connections that this process has accepted, Linux only. Undefined for one
 * that was closed, or that nothing of this network namespace has. Who listens on its port says nothing:
 * another user can bind the port before, connect from it and close the connection.
 *
 * For several connections, because the tables can be long.
 */
export async function openingUids(
  connections: readonly Connection[],
): Promise<(number | undefined)[]> {
  const { uids } = await findOtherEnds(connections);
  return connections.map((connection) => uids.get(connection));
}

/** The users who have the other ends of connections to this host, and the sockets that listen. */
async function findOtherEnds(connections: readonly Connection[]) {
  const uids = new Map<Connection, number>();
  const listening: Row[] = [];
  for (const table of ['tcp', 'tcp6'] as const) {
    const left = connections.filter((each) => mayBeIn(table, each) && !uids.has(each));
    const byEnds = new Map(left.map((each) => [endsOf(each, table), each]));
    if (byEnds.size === 0) continue;
    for await (const row of readRows(table, byEnds)) {
      if (row.isListening) listening.push(row);
      const connection = byEnds.get(row.ends);
      if (connection === undefined) continue;
      byEnds.delete(row.ends);
      if (row.inode !== 0) uids.set(connection, row.uid);
      if (byEnds.size === 0) break;
    }
  }
  return { uids, listening };
}

function mayBeIn(table: 'tcp' | 'tcp6', { remoteAddress }: Connection): boolean {
  return table === 'tcp6' || !withoutMapping(remoteAddress).includes(':');
}

function uidsOfListeners({ remoteAddress, remotePort }: Connection, listening: Row[]): number[] {
  const address = withoutMapping(remoteAddress);
  const all = address.includes(':') ? ['::'] : ['0.0.0.0', '::'];
  const found = [address, ...all]
    .map((bound) => listening.filter((row) => row.address === bound && row.port === remotePort))
    .find(({ length }) => length > 0);
  return found?.map(({ uid }) => uid) ?? [];
}

/** The sockets that accept connections to an IPv4 or IPv6 address of this host. */
export async function listeningSockets(
  address: string,
  port: number,
): Promise<Pick<Row, 'inode' | 'uid'>[]> {
  const plain = withoutMapping(address);
  const tables = plain.includes(':') ? (['tcp6'] as const) : (['tcp', 'tcp6'] as const);
  const bound = [plain, '::', ...(plain.includes(':') ? [] : ['0.0.0.0'])];
  const found: Pick<Row, 'inode' | 'uid'>[] = [];
  for (const table of tables) {
    for await (const row of readRows(table)) {
      if (row.isListening && row.port === port && bound.includes(row.address)) {
        found.push(row);
      }
    }
  }
  return found;
}

/** Characters of the two ends of a row, as {@link endsOf} writes them. */
const ENDS = { tcp: 27, tcp6: 75 } as const;
/** Bytes that are read before other work gets its turn. */
const TURN_BYTES = 256 * 1024;

/**
 * The listening sockets of a table, and the connections with these ends. Reads without waiting,
 * because the kernel has the table in memory, and Node.js would first start the threads for that.
 */
async function* readRows(
  table: 'tcp' | 'tcp6',
  ends: Pick<ReadonlyMap<string, unknown>, 'has'> = new Set(),
): AsyncGenerator<Row> {
  const file = openTable(table);
  if (file === undefined) return;
  try {
    const buffer = Buffer.allocUnsafe(65_536);
    let unbroken = 0;
    for (let rest = ''; ; ) {
      const bytesRead = readSync(file, buffer);
      if (bytesRead === 0) return;
      const lines = (rest + buffer.toString('latin1', 0, bytesRead)).split('\n');
      rest = lines.pop() ?? '';
      // A host may have many connections: parse only the requested ones.
      for (const line of lines) {
        const from = line.indexOf(': ') + 2;
        const isRequested = ends.has(line.slice(from, from + ENDS[table]));
        if (isRequested || line.includes(` ${LISTEN} `)) yield* parseRows(line);
      }
      unbroken += bytesRead;
      if (unbroken < TURN_BYTES) continue;
      await nextTurn();
      unbroken = 0;
    }
  } finally {
    closeSync(file);
  }
}

function openTable(table: 'tcp' | 'tcp6'): number | undefined {
  try {
    return openSync(`/proc/net/${table}`, 'r');
  } catch (error) {
    // A kernel without IPv6 has no tcp6.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Format: https://docs.kernel.org/networking/proc_net_tcp.html */
export function parseRows(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', remote = '', state, , , , uid, , inode] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (!/^[0-9A-F]{8,32}$/.test(address)) return [];
    const isListening = state === LISTEN;
    const ends = `${local} ${remote}`;
    return [
      {
        ...{ address: withoutMapping(readAddress(address)), port: Number.parseInt(port, 16) },
        ...{ ends, isListening, uid: Number(uid), inode: Number(inode) },
      },
    ];
  });
}

/** The other end of a connection in a table, as in {@link Row.ends}. */
export function endsOf(
  { localAddress, localPort, remoteAddress, remotePort }: Connection,
  table: 'tcp' | 'tcp6',
): string {
  const end = (address: string, port: number) =>
    `${writeAddress(address, table)}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return `${end(remoteAddress, remotePort)} ${end(localAddress, localPort)}`;
}

/** An IPv4 address mapped into IPv6 as IPv4; without the zone of a link-local address. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

/** Words of 32 bits in the host's byte order. */
function readAddress(hex: string): string {
  const bytes = inHostOrder(Buffer.from(hex, 'hex'));
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

function writeAddress(address: string, table: 'tcp' | 'tcp6'): string {
  const plain = withoutMapping(address);
  const bytes = plain.includes(':') ? ipv6Bytes(plain) : Buffer.from(plain.split('.').map(Number));
  const mapped = Buffer.concat([Buffer.alloc(10), Buffer.of(0xff, 0xff), bytes]);
  const written = table === 'tcp6' && bytes.length === 4 ? mapped : bytes;
  return inHostOrder(written).toString('hex').toUpperCase();
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const [before, after] = [head || [], tail ?? []];
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
  const bytes = Buffer.alloc(16);
  for (const [at, group] of groups.entries()) bytes.writeUInt16BE(group, at * 2);
  return bytes;
}

function inHostOrder(bytes: Buffer): Buffer {
  return endianness() === 'LE' ? Buffer.from(bytes).swap32() : bytes;
}
