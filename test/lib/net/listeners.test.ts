import { expect, test } from 'vitest';
import { parseListeners } from '../../../src/lib/net/listeners.js';

const HEADER =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const row = (local: string, state: string, uid: number) =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 5 1 0 100 0 0 10 0`;

test('reads addresses, ports and uids of listening sockets, not of connections', () => {
  const text = [
    HEADER,
    row('0100007F:125C', '0A', 1000),
    row('00000000000000000000000001000000:125C', '0A', 0),
    row('0000000000000000FFFF00000100007F:125C', '0A', 33),
    row('0100007F:125C', '01', 7),
    '',
  ].join('\n');
  expect(parseListeners(text)).toEqual([
    { address: '127.0.0.1', port: 4700, uid: 1000 },
    { address: '::1', port: 4700, uid: 0 },
    { address: '::ffff:127.0.0.1', port: 4700, uid: 33 },
  ]);
});
