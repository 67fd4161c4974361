// @module-tag slow
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { type Outcome, openWorld, type World } from '../support/run.js';
import { connectVnc } from '../support/vnc-client.js';

const VIEW = 'POST /projects/demo/computers/desktop/view';

interface Access {
  readonly address: string;
  readonly port: number;
  readonly password: string;
  readonly mode: string;
}

let world: World;
/** The WebSockets that were opened with a ticket, and the bytes of the client. */
let views: { readonly opening: unknown; readonly socket: WebSocket; readonly bytes: Buffer[] }[];

beforeEach(async () => {
  world = await openWorld();
  views = [];
  world.service.on(VIEW, { url: 'http://inside.example.com/api/view/cmp_1#vt_2' });
  world.service.onProcess((opening, socket) => {
    const bytes: Buffer[] = [];
    views.push({ opening, socket, bytes });
    socket.send('{"type":"ready","mode":"control","name":"demo/desktop"}');
    socket.send('{"type":"control","control":null,"is_mine":false}');
    socket.send(Buffer.from('RFB 003.008\n'));
    socket.on('message', (data: Buffer) => {
      bytes.push(data);
      if (bytes.length === 1) socket.send(Buffer.from([1, 1]));
      if (bytes.length === 2) socket.send(Buffer.alloc(4));
      if (bytes.length === 3) socket.send(Buffer.from('ServerInit'));
    });
  });
});
afterEach(() => world.close());

/** Runs `vc vnc` during the work, and ends it with Ctrl-C. */
async function during(work: (access: Access) => Promise<unknown>): Promise<Outcome> {
  const interrupts = new Interrupts();
  let working: Promise<unknown> | undefined;
  const outcome = await world.run(['vnc', 'demo/desktop', '--json'], {
    interrupts,
    onStdout: (text) => {
      working ??= work(JSON.parse(text) as Access).finally(() => interrupts.trigger('SIGINT'));
    },
  });
  await working;
  return outcome;
}

const asked = () =>
  world.service.received.filter(({ method }) => method === 'POST').map(({ body }) => body);

test('a client with the password gets the view, twice, each time with a new link', async () => {
  const outcome = await during(async ({ address, port, password, mode }) => {
    expect({ address, mode }).toEqual({ address: '127.0.0.1', mode: 'control' });
    for (let round = 0; round < 2; round += 1) {
      const { socket, reader, result } = await connectVnc(port, password);
      expect(result).toBe(0);
      socket.write(Buffer.from([1]));
      expect((await reader.read(10)).toString()).toBe('ServerInit');
      socket.destroy();
    }
  });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(asked()).toEqual([{ mode: 'control' }, { mode: 'control' }, { mode: 'control' }]);
  expect(views.map(({ opening }) => opening)).toEqual([{ ticket: 'vt_2' }, { ticket: 'vt_2' }]);
  expect(views.map(({ bytes }) => Buffer.concat(bytes).toString('latin1'))).toEqual([
    'RFB 003.008\n\x01\x01',
    'RFB 003.008\n\x01\x01',
  ]);
});

test('a key that may only look gets a view without input', async () => {
  world.service.handle(VIEW, ({ body }, response) => {
    const isAllowed = (body as { mode: string }).mode === 'view';
    response.setHeader('content-type', 'application/json');
    if (!isAllowed) response.setHeader('x-error-code', 'forbidden');
    response.writeHead(isAllowed ? 200 : 403);
    response.end(
      JSON.stringify(
        isAllowed
          ? { url: 'http://inside.example.com/api/view/cmp_1#vt_2' }
          : { error: 'The key may only look.' },
      ),
    );
  });
  await during(async ({ port, password, mode }) => {
    expect(mode).toBe('view');
    expect((await connectVnc(port, password)).result).toBe(0);
  });
  expect(asked()).toEqual([{ mode: 'control' }, { mode: 'view' }, { mode: 'view' }]);
});

test('a wrong password, and why a view ends, are printed', async () => {
  const { stderr } = await during(async ({ port, password }) => {
    expect((await connectVnc(port, 'wrong')).result).toBe(1);
    const { socket } = await connectVnc(port, password);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const reason = 'demo/desktop was stopped.';
    views[0]?.socket.send(JSON.stringify({ type: 'closed', code: 'conflict', reason }));
    views[0]?.socket.close();
    await closed;
  });
  expect(stderr).toBe('client: wrong password\nclient: demo/desktop was stopped.\n');
});

test('a stopped computer is refused at once', async () => {
  world.service.fail(VIEW, 409, 'not_running', 'demo/desktop is stopped.', 'Start it.');
  const { code, stderr, stdout } = await world.run(['vnc', 'demo/desktop']);
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toContain('demo/desktop is stopped.');
});

test('--quiet prints the address and the password only', async () => {
  const interrupts = new Interrupts();
  const { stdout } = await world.run(['-q', 'vnc', 'demo/desktop'], {
    interrupts,
    onStdout: () => interrupts.trigger('SIGINT'),
  });
  expect(stdout).toMatch(/^127\.0\.0\.1:\d+ [\w-]{8}\n$/);
});

test('a port in use is refused', async () => {
  const port = new URL(world.service.baseUrl).port;
  const { code, stderr } = await world.run(['vnc', 'demo/desktop', '--port', port]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/cannot listen on 127\.0\.0\.1:\d+: address already in use/);
});
