import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ComputerHandle } from '../../../src/client/index.js';
import { openTestService, type TestService } from '../../support/service/service.js';

const project = 'publish';
/** Emulated machines move bytes slowly. */
const LARGE = inject('engine') === 'qemu' ? 10_000_000 : 100_000_000;

/** Answers a GET with as many bytes as its path says, a POST with the hash of its body, and echoes messages. */
const SERVER = `
import base64, hashlib, http.server, json

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.headers.get("Upgrade") == "websocket":
            return self.echo()
        if self.path == "/headers":
            return self.answer(json.dumps(dict(self.headers)).encode())
        self.answer(b"x" * int(self.path[1:] or 0))

    def do_POST(self):
        found, left = hashlib.sha256(), int(self.headers["Content-Length"])
        while left > 0:
            chunk = self.rfile.read(min(left, 65536))
            found.update(chunk)
            left -= len(chunk)
        self.answer(found.hexdigest().encode())

    def echo(self):
        guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        key = hashlib.sha1((self.headers["Sec-WebSocket-Key"] + guid).encode()).digest()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(key).decode())
        self.end_headers()
        while True:
            opcode, length = self.rfile.read(2)
            mask, data = self.rfile.read(4), self.rfile.read(length & 127)
            data = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
            self.wfile.write(bytes([opcode, len(data)]) + data)

http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
`;

let service: TestService;
let desk: ComputerHandle;
let host: string;
let cookie: string;

interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Readable;
}

/** Sends a request to the service's port, with the Host of the publication unless `headers` have one. */
async function ask(path: string, { method = 'GET', headers = {}, body }: Asking = {}) {
  const sent = httpRequest(new URL(path, service.baseUrl), {
    ...{ method, agent: false, headers: { host, ...headers } },
  });
  if (body === undefined) sent.end();
  else body.pipe(sent);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let length = 0;
  const found = createHash('sha256');
  const first: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (length < 4096) first.push(chunk);
    length += chunk.length;
    found.update(chunk);
  }
  const text = Buffer.concat(first).toString();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text,
    length,
    sha256: found.digest('hex'),
  };
}

/** The first chunk again and again, `bytes` in all. */
function* chunks(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(65_536, 'x');
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
}

const sha256 = (bytes: number) => {
  const found = createHash('sha256');
  for (const chunk of chunks(bytes)) found.update(chunk);
  return found.digest('hex');
};

beforeAll(async () => {
  service = await openTestService();
  await service.vc.projects.create(project);
  desk = await service.vc.computers.create(project, { name: 'Büro 1' });
  await desk.files.write('server.py', SERVER);
  await desk.bash('python3 server.py', { background: true });
  await desk.bash('until (exec 3<>/dev/tcp/127.0.0.1/8000) 2>/dev/null; do sleep 0.1; done');
});
afterAll(() => service?.close());

test('a port is published under an address that its link opens', async () => {
  const id = (await desk.get()).id;
  const created = await service.http('POST', `/computers/${id}/publications`, { port: 8000 });
  expect(created.status, JSON.stringify(created.json)).toBe(200);
  const link = new URL(created.json.link);
  const { port } = new URL(service.baseUrl);
  expect(link.host).toMatch(new RegExp(`^8000-buro-1-[0-9a-z]{26}\\.localhost:${port}$`));
  host = link.host;
  expect((await ask('/5')).status).toBe(401);
  const entered = await ask(`/5${link.search}`);
  expect([entered.status, entered.headers.location]).toEqual([302, `http://${host}/5`]);
  cookie = String(entered.headers['set-cookie']).split(';')[0] ?? '';
  expect(await ask('/5', { headers: { cookie } })).toMatchObject({ status: 200, text: 'xxxxx' });
  expect((await ask('/5', { headers: { cookie: `${cookie}0` } })).status).toBe(401);
  for (const foreign of [
    `x${host}`,
    'evil.example.com',
    host.replace('localhost', 'example.com'),
  ]) {
    expect((await ask('/5', { headers: { cookie, host: foreign } })).status).toBe(400);
  }
  const { publications } = (await service.http('GET', '/publications')).json;
  expect(publications).toMatchObject([{ port: 8000, computer: 'Büro 1', project, public: false }]);
});

test('the guest gets the headers of the client, but no secret of the service', async () => {
  const { text } = await ask('/headers', {
    headers: {
      cookie: `a=b; ${cookie}`,
      authorization: `Bearer ${service.apiKey}`,
      'x-own': 'kept',
    },
  });
  const headers = JSON.parse(text);
  expect(headers).toMatchObject({ cookie: 'a=b', 'x-own': 'kept', host });
  expect(headers).toMatchObject({ 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'http' });
  expect(text).not.toContain(service.apiKey);
  expect(text).not.toContain('vt_');
});

test('large bodies and WebSockets pass', async () => {
  const got = await ask(`/${LARGE}`, { headers: { cookie } });
  expect([got.length, got.sha256]).toEqual([LARGE, sha256(LARGE)]);
  const sent = await ask('/', {
    method: 'POST',
    headers: { cookie, 'content-length': `${LARGE}` },
    body: Readable.from(chunks(LARGE)),
  });
  expect(sent.text).toBe(sha256(LARGE));
  const url = new URL('/', service.baseUrl.replace(/^http/, 'ws'));
  const socket = new WebSocket(url, { headers: { host, cookie } });
  await once(socket, 'open');
  socket.send('hello');
  expect(String((await once(socket, 'message'))[0])).toBe('hello');
  socket.terminate();
});

test('it lives over a restart of the service, and ends when it is removed', async () => {
  await service.kill('SIGKILL');
  await service.start();
  expect(await ask('/5', { headers: { cookie } })).toMatchObject({ status: 200, text: 'xxxxx' });
  const closed = await desk.publish(8001, { public: true });
  const nothing = await ask('/', { headers: { host: new URL(closed.link).host } });
  expect(nothing.status).toBe(502);
  expect(nothing.text).toContain('Nothing in the computer listens on port 8001.');
  expect((await service.cli(['publication', 'ls', '--json'])).stdout).toContain(host);
  const { id } = await desk.get();
  const removed = await service.http('DELETE', `/computers/${id}/publications/8001`);
  expect(removed.json).toEqual({ success: true });
  expect((await service.cli(['unpublish', `${project}/Büro 1`, '8000'])).code).toBe(0);
  expect((await ask('/5', { headers: { cookie } })).status).toBe(404);
});
