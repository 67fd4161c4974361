import { type ChildProcess, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { eventually } from '../../../support/eventually.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';

const VC = new URL('../../../../bin/vc.js', import.meta.url).pathname;
const MiB = 1024 * 1024;

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
  await desktop.run(
    'mkdir -p www && head -c 20M /dev/urandom >www/large && echo hello >www/index.html',
  );
  await desktop.run(
    'cd www && for i in $(seq 60); do head -c $((i * 1000)) /dev/urandom >$i.bin; done; sha256sum *.bin large >sums',
  );
  const command = 'cd www && exec python3 -m http.server --bind 127.0.0.1 8000';
  await desktop.computer.bash(command, { background: true });
  await desktop.until('curl -sf http://127.0.0.1:8000/ >/dev/null');
});
afterAll(() => desktop.close());

interface Forwarding {
  readonly child: ChildProcess;
  readonly ports: number[];
  stderr(): string;
  end(): Promise<number | null>;
}

async function forward(...ports: string[]): Promise<Forwarding> {
  const argv = [VC, 'computer', 'forward', 'e2e/desktop', '--json', ...ports];
  const child = spawn(process.execPath, argv, { env: desktop.service.env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await eventually(async () => stdout.includes('\n'), 20_000);
  const { forwards } = JSON.parse(stdout) as { forwards: { local: number }[] };
  return {
    child,
    ports: forwards.map(({ local }) => local),
    stderr: () => stderr,
    end: () => {
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      return ended;
    },
  };
}

describe('vc forward', () => {
  it('carries 61 parallel downloads unchanged', async () => {
    const { createHash } = await import('node:crypto');
    const forwarding = await forward('0:8000');
    const base = `http://127.0.0.1:${forwarding.ports[0]}`;
    expect(await (await fetch(base)).text()).toBe('hello\n');
    const sums = await (await fetch(`${base}/sums`)).text();
    const wanted = new Map(
      sums
        .trim()
        .split('\n')
        .map((line) => [line.slice(66), line.slice(0, 64)] as const),
    );
    expect(wanted.size).toBe(61);
    await Promise.all(
      [...wanted].map(async ([name, sum]) => {
        const data = Buffer.from(await (await fetch(`${base}/${name}`)).arrayBuffer());
        expect(createHash('sha256').update(data).digest('hex'), name).toBe(sum);
      }),
    );
    expect(forwarding.stderr()).toBe('');
    expect(await forwarding.end()).toBe(0);
    await expect(fetch(base)).rejects.toThrow();
  });

  it('listens on loopback only and reports closed ports', async () => {
    const forwarding = await forward('0:8000', '0:9');
    const [web = 0, nothing = 0] = forwarding.ports;
    const closed = new Promise((resolve) =>
      connect(nothing, '127.0.0.1').once('error', resolve).once('close', resolve),
    );
    await closed;
    await eventually(async () => forwarding.stderr().includes('port 9: Nothing in the computer'));
    const portInUse = await desktop.service.cli([
      'computer',
      'forward',
      'e2e/desktop',
      `${web}:80`,
    ]);
    expect(portInUse).toMatchObject({ code: 1 });
    expect(portInUse.stderr).toContain('in use');
    const { readFileSync } = await import('node:fs');
    const hex = web.toString(16).toUpperCase().padStart(4, '0');
    expect(readFileSync('/proc/net/tcp', 'utf8')).toMatch(
      new RegExp(`0100007F:${hex} 00000000:0000 0A`),
    );
    await forwarding.end();
    expect(await desktop.service.cli(['computer', 'forward', 'e2e/nope', '80'])).toMatchObject({
      code: 5,
    });
    expect(await desktop.service.cli(['computer', 'forward', 'e2e/desktop', 'x'])).toMatchObject({
      code: 2,
    });
  });
});

describe('a tunnel', () => {
  it('lets each side close separately', async () => {
    const script = [
      'import socket',
      's = socket.create_server(("127.0.0.1", 8001))',
      'while True:',
      '    c, _ = s.accept()',
      '    n = 0',
      '    while True:',
      '        d = c.recv(65536)',
      '        if not d: break',
      '        n += len(d)',
      '    c.sendall(b"got %d" % n); c.close()',
    ].join('\n');
    await desktop.computer.files.write('count.py', script);
    await desktop.computer.bash('exec python3 count.py', { background: true });
    const tunnel = await eventually(() => desktop.computer.connect(8001).catch(() => undefined));
    const writer = tunnel.writable.getWriter();
    for (let i = 0; i < 10; i += 1) await writer.write(Buffer.alloc(MiB));
    await writer.close();
    const text = await new Response(tunnel.readable).text();
    expect(text).toBe(`got ${10 * MiB}`);
  });

  it('waits for a slow reader, with bounded memory in the service', async () => {
    const { readFileSync } = await import('node:fs');
    const memory = () =>
      Number(
        /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${desktop.service.pid}/status`, 'utf8'))?.[1],
      ) / 1024;
    await desktop.computer.bash(
      `exec python3 -c 'import socket\ns = socket.create_server(("127.0.0.1", 8002))\nwhile True:\n  c, _ = s.accept()\n  try:\n    while True: c.sendall(bytes(65536))\n  except OSError: pass'`,
      { background: true },
    );
    const tunnel = await eventually(() => desktop.computer.connect(8002).catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = memory();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(memory() - before).toBeLessThan(30);
    tunnel.close();
    // The guest's side ends with it.
    await desktop.until('! ss -Htn state established "sport = 8002" | grep -q .');
  });

  it('needs a key, a port and no foreign origin', async () => {
    const url = `${desktop.service.baseUrl.replace('http', 'ws')}/computers/${desktop.id}/tunnel`;
    const answer = (path: string, headers: Record<string, string>) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(`${url}${path}`, { headers });
        socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
        socket.once('open', () => resolve(101));
        socket.on('error', () => undefined);
      });
    const authorization = `Bearer ${desktop.service.apiKey}`;
    expect(await answer('?port=8000', {})).toBe(401);
    expect(await answer('?port=8000', { authorization, origin: 'http://example.com' })).toBe(400);
    expect(await answer('?port=0', { authorization })).toBe(400);
    expect(await answer('', { authorization })).toBe(400);
  });

  it('reaches the computer, never the host', async () => {
    const server = createServer((socket) => socket.end('host')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(desktop.computer.connect(port)).rejects.toMatchObject({ code: 'target_failed' });
    server.close();
  });
});
