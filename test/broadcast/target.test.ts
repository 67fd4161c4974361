import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { resolveTarget } from '../../src/broadcast/addresses.js';
import type { Source } from '../../src/broadcast/frame-pacer.js';
import { publish } from '../../src/broadcast/publish.js';
import { parseTarget, redact } from '../../src/broadcast/target.js';
import { promise } from '../support/run/promise.js';

describe('an RTMP URL', () => {
  it.each([
    ['rtmp://example.com/live/name', undefined, 'live', 'name', 1935],
    ['rtmp://example.com:2000/a/b/c', undefined, 'a/b', 'c', 2000],
    ['rtmp://example.com/live/name?token=1', undefined, 'live', 'name?token=1', 1935],
    ['rtmps://example.com/app', 'key', 'app', 'key', 443],
    ['rtmp://example.com/app/', 'key?x=1', 'app', 'key?x=1', 1935],
    ['rtmp://example.com/live2?backup=1', 'key', 'live2?backup=1', 'key', 1935],
    ['rtmp://[2001:db8::1]/live/x', undefined, 'live', 'x', 1935],
  ])('%s with key %s is app %s, stream %s, port %i', (url, key, app, stream, port) => {
    expect(parseTarget(url, key)).toMatchObject({ app, stream, port });
  });

  it("excludes the stream from the server's address and from messages", () => {
    const target = parseTarget('rtmps://example.com:444/app/secret-key');
    expect(target.tcUrl).toBe('rtmps://example.com:444/app');
    expect(target.label).toBe('rtmps://example.com:444');
    expect(parseTarget('rtmp://[2001:db8::1]/live/x').host).toBe('2001:db8::1');
  });

  promise(9, 'of another kind or form is refused, and not repeated', (report) => {
    const refused = [
      'http://example.com/live/secret',
      'rtmp://user:secret@example.com/live/x',
      'rtmp://example.com/secret',
      'rtmp:///live/secret',
      'rtmp://example.com/live/secret#x',
      'rtmp://example.com/live/sec ret',
      'rtmp://example.com/live/secret\n',
      'rtmpt://example.com/live/secret',
      'rtmp://example.com:99999/live/secret',
      `rtmp://example.com/live/secret${'x'.repeat(3000)}`,
      'secret',
      'file:///live/secret',
      'tcp://example.com/live/secret',
      'srt://example.com/live/secret',
      'concat:rtmp://example.com/live/secret',
      'rtmpe://example.com/live/secret',
      '',
      'rtmp://example.com/live/secret\0',
      'rtmp://example.com/live/secret -f flv /tmp/secret',
    ];
    for (const url of refused) {
      const parse = () => parseTarget(url);
      expect(parse, url).toThrow(expect.objectContaining({ code: 'invalid_request' }));
      expect(parse, url).not.toThrow(/secret/);
    }
    report(`${refused.length} URLs refused`);
  });

  it("is redacted from a server's text", () => {
    const target = parseTarget('rtmp://example.com/live/my%20key-1');
    expect(redact('no such stream: my%20key-1 (my key-1)', target)).toBe('no such stream: … (…)');
  });
});

describe('resolving a target', () => {
  const target = parseTarget('rtmp://live.example.com/app/key');
  const lookup = async () => ['8.8.8.8', '10.0.0.1'];

  promise(9, 'refuses a name if any of its addresses is private', async () => {
    const refusal = resolveTarget(target, { allowPrivate: false, lookup });
    await expect(refusal).rejects.toThrow(/10\.0\.0\.1.*--allow-private-targets/);
    const good = ['8.8.8.8', '1.1.1.1', '2606:4700::1111'];
    for (const bad of ['127.0.0.1', '::1', '::ffff:10.0.0.1', '169.254.169.254', 'fe80::1']) {
      for (let place = 0; place <= good.length; place++) {
        const found = good.toSpliced(place, 0, bad);
        const rules = { allowPrivate: false, lookup: async () => found };
        await expect(resolveTarget(target, rules)).rejects.toThrow(bad);
      }
    }
  });

  promise(9, "refuses the host's own addresses, in any notation", async () => {
    const ownAddresses = () => ['8.8.4.4', '2606:4700::1111', 'fe80::1'];
    for (const address of ['8.8.4.4', '2606:4700:0:0::1111']) {
      const rules = { allowPrivate: false, lookup: async () => [address] };
      await expect(resolveTarget(target, { ...rules, ownAddresses })).rejects.toThrow(
        `is at ${address}, which is the service's own host`,
      );
      await expect(resolveTarget(target, rules)).resolves.toEqual([address]);
    }
  });

  promise(9, 'resolves a name once, and connects to the checked address only', async (report) => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const rebound = parseTarget(`rtmp://live.example.com:${port}/app/key`);
    let lookups = 0;
    // A name that resolves to another address the second time.
    const turning = (first: string, then: string) => async () => {
      lookups += 1;
      return [lookups === 1 ? first : then];
    };
    const attempt = (allowPrivate: boolean, lookup: ReturnType<typeof turning>) => {
      lookups = 0;
      const source = { frame: { size: { width: 64, height: 48 } } } as unknown as Source;
      const video = { fps: 15, bitrate: 1000 };
      const options = {
        target: rebound,
        rules: { allowPrivate, lookup },
        video,
        source,
      };
      return publish(options, AbortSignal.timeout(10_000), () => undefined);
    };
    try {
      await expect(attempt(true, turning('127.0.0.1', '127.0.0.2'))).rejects.toThrow();
      expect({ lookups, connections }).toEqual({ lookups: 1, connections: 1 });
      await expect(attempt(false, turning('127.0.0.1', '8.8.8.8'))).rejects.toThrow(/127\.0\.0\.1/);
      expect({ lookups, connections }).toEqual({ lookups: 1, connections: 1 });
    } finally {
      server.close();
    }
    report('one look-up a connection');
  });

  it('returns all of them if private targets are allowed', async () => {
    const addresses = await resolveTarget(target, { allowPrivate: true, lookup });
    expect(addresses).toEqual(['8.8.8.8', '10.0.0.1']);
  });

  it('ends the look-up of a stream that was stopped', async () => {
    const stopping = new AbortController();
    const given: (AbortSignal | undefined)[] = [];
    const slow = (_host: string, signal?: AbortSignal) => {
      given.push(signal);
      return new Promise<string[]>((_, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('cancelled')));
      });
    };
    const refusal = resolveTarget(target, { allowPrivate: true, lookup: slow }, stopping.signal);
    stopping.abort(new Error('stopped'));
    await expect(refusal).rejects.toThrow('stopped');
    expect(given).toEqual([stopping.signal]);
  });

  it('rejects a name without an address', async () => {
    const none = async () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    const refusal = resolveTarget(target, { allowPrivate: false, lookup: none });
    await expect(refusal).rejects.toMatchObject({ code: 'target_failed' });
  });

  promise(9, 'recognizes private addresses in any notation', async (report) => {
    const disguised = [
      '2130706433',
      '0x7f.1',
      '017700000001',
      '127.1',
      '127.0.0.1.',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
      'localhost',
      '0',
      '１２７.0.0.1',
      '127。0。0。1',
    ];
    for (const host of disguised) {
      const refused = async () =>
        resolveTarget(parseTarget(`rtmp://${host}/live/x`), { allowPrivate: false });
      await expect(refused(), host).rejects.toMatchObject({
        code: expect.stringMatching(/invalid_request|target_failed/),
      });
    }
    report(`${disguised.length} disguises seen through`);
  });
});
