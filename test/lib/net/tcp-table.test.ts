import { expect, test } from 'vitest';
import { isOfThisUser } from '../../../src/lib/net/own-peer.js';
import { acceptingUids, endsOf, openingUids, parseRows } from '../../../src/lib/net/tcp-table.js';
import { openLocalConnection } from '../../support/client/local-connection.js';

const HEADER =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (ends: string, state: string, uid: number, inode: number) =>
  `   0: ${ends} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0 100 0 0 10 0`;
const ANY = '00000000:0000';

test('reads addresses, ports, uids and inodes of listening sockets and connections', () => {
  const text = [
    HEADER,
    row(`0100007F:125C ${ANY}`, '0A', 1000, 5),
    row(`00000000000000000000000001000000:125C ${ANY}`, '0A', 0, 6),
    row(`0000000000000000FFFF00000100007F:125C ${ANY}`, '0A', 33, 7),
    row('0100007F:125C 0100007F:D56A', '01', 7, 0),
    '',
  ].join('\n');
  expect(parseRows(text)).toMatchObject([
    { address: '127.0.0.1', port: 4700, uid: 1000, isListening: true },
    { address: '::1', port: 4700, uid: 0, isListening: true },
    { address: '127.0.0.1', port: 4700, uid: 33, isListening: true },
    { ends: '0100007F:125C 0100007F:D56A', uid: 7, inode: 0, isListening: false },
  ]);
});

test('writes the ends of a connection as the kernel does', () => {
  const ports = { localPort: 54_634, remotePort: 4700 };
  const ipv4 = { localAddress: '127.0.0.1', remoteAddress: '127.0.0.1', ...ports };
  expect(endsOf(ipv4, 'tcp')).toBe('0100007F:125C 0100007F:D56A');
  const mapped = '0000000000000000FFFF00000100007F';
  expect(endsOf(ipv4, 'tcp6')).toBe(`${mapped}:125C ${mapped}:D56A`);
  const ipv6 = { localAddress: '::1', remoteAddress: 'fe80::1:2%eth0', ...ports };
  const [local, remote] = ['00000000000000000000000001000000', '000080FE000000000000000002000100'];
  expect(endsOf(ipv6, 'tcp6')).toBe(`${remote}:125C ${local}:D56A`);
});

test.runIf(process.platform === 'linux')(
  'a connection is of the user who has opened it, until they close it',
  async () => {
    const uid = process.geteuid?.();
    const { accepted, closeAndListen, end } = await openLocalConnection();
    const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = accepted;
    const connection = { localAddress, localPort, remoteAddress, remotePort };
    try {
      expect(await openingUids([connection])).toEqual([uid]);
      expect(await isOfThisUser(accepted)).toBe(true);
      await closeAndListen();
      expect(await openingUids([connection])).toEqual([undefined]);
      expect(await isOfThisUser(accepted)).toBe(false);
      // For who has opened a connection, it waits to be accepted by those who listen there.
      expect(await acceptingUids(connection)).toEqual([uid]);
    } finally {
      end();
    }
  },
);
