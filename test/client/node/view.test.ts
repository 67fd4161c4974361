import { expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.js';
import { openNodeView } from '../../../src/client/node/view.js';
import type { MessageSocket } from '../../../src/client/sockets/message-socket.js';

it('texts that are copied in the computer are messages of RFB, after the handshake', async () => {
  let deliver: (data: string | Buffer) => void = () => undefined;
  const socket = {
    listen: ({ message }: { message: typeof deliver }) => {
      deliver = message;
    },
    send: () => deliver(JSON.stringify({ type: 'ready', mode: 'control', name: 'desk' })),
    ...{ pause: () => undefined, resume: () => undefined, isPaused: false },
    ...{ close: () => undefined, terminate: () => undefined, isOpen: true },
  } as unknown as MessageSocket;
  const client = {
    baseUrl: 'http://127.0.0.1/api',
    request: async () => ({ url: 'http://127.0.0.1/view/cmp_0#vt_1' }),
    socket: async (_path: string, _options: object, use: (one: MessageSocket) => unknown) =>
      use(socket),
  } as unknown as Client;
  const { signal } = new AbortController();
  const view = await openNodeView(client, { id: 'cmp_0' }, { mode: 'control', signal });
  const copied = (text: string) => deliver(JSON.stringify({ type: 'clipboard', text }));
  copied('too early');
  for (const part of ['version', 'types', 'ok', 'init']) deliver(Buffer.from(part));
  copied('Grüße 世👍');
  deliver(Buffer.from('update'));
  const bytes: Buffer = view.read();
  const text = Buffer.from('Grüße ??', 'latin1');
  const message = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 0, 0, text.length]), text]);
  expect(bytes.toString('latin1')).toBe(`versiontypesokinit${message.toString('latin1')}update`);
  view.destroy();
});
