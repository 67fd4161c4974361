import { expect, it } from 'vitest';
import type { Client } from '../../src/client/client.js';
import { openNodeProcess } from '../../src/client/node/process.js';
import { openProcess } from '../../src/client/process.js';
import type { MessageSocket } from '../../src/client/sockets/message-socket.js';

/** A client whose sockets record the messages of a process. */
function recordingClient(sent: unknown[]): Client {
  const socket = {
    isOpen: true,
    isPaused: false,
    send: (message: string) => sent.push(JSON.parse(message)),
    ...{ listen: () => undefined, resume: () => undefined, terminate: () => undefined },
  } as unknown as MessageSocket;
  return {
    baseUrl: 'http://127.0.0.1:4700/api',
    socket: (_path: string, _options: unknown, use: (socket: MessageSocket) => unknown) =>
      use(socket),
  } as unknown as Client;
}

it.each([
  ['web streams', openProcess],
  ['Node.js streams', openNodeProcess],
])('a process with %s takes TERM and SIGTERM, and refuses other names', async (_, open) => {
  const sent: unknown[] = [];
  const process = await open(recordingClient(sent), { id: 'c' }, { command: 'sleep 9' });
  process.kill('TERM');
  process.kill('SIGTERM');
  expect(sent.slice(1)).toEqual([
    { type: 'signal', signal: 'TERM' },
    { type: 'signal', signal: 'TERM' },
  ]);
  expect(() => process.kill('term' as 'TERM')).toThrow(TypeError);
  expect(() => process.kill('SIGSTOP' as 'TERM')).toThrow('use one of INT, TERM, HUP, KILL, QUIT');
  expect(sent).toHaveLength(3);
});
