import { describe, expect, it } from 'vitest';
import { isPublic, resolveTarget } from '../../src/broadcast/addresses.js';
import { parseTarget, redact } from '../../src/broadcast/target.js';

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

  it('tells the server where it is without the stream, and messages neither', () => {
    const target = parseTarget('rtmps://example.com:444/app/secret-key');
    expect(target.tcUrl).toBe('rtmps://example.com:444/app');
    expect(target.label).toBe('rtmps://example.com:444');
    expect(parseTarget('rtmp://[2001:db8::1]/live/x').host).toBe('2001:db8::1');
  });

  it.each([
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
  ])('refuses %j and does not repeat it', (url) => {
    const parse = () => parseTarget(url);
    expect(parse).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(parse).not.toThrow(/secret/);
  });

  it('is taken out of what a server says', () => {
    const target = parseTarget('rtmp://example.com/live/my%20key-1');
    expect(redact('no such stream: my%20key-1 (my key-1)', target)).toBe('no such stream: … (…)');
  });
});

describe('an address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '2606:4700::1111', '172.15.0.1', '100.128.0.1'])(
    '%s is public',
    (address) => expect(isPublic(address)).toBe(true),
  );

  it.each([
    ...['127.0.0.1', '127.255.0.3', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255'],
    ...['192.168.0.1', '169.254.169.254', '100.64.0.1', '198.18.0.1', '192.0.2.1', '224.0.0.1'],
    ...['255.255.255.255', '240.0.0.1', '::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1'],
    ...['::ffff:8.8.8.8', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1'],
    ...['2001::1', '::127.0.0.1', 'example.com', ''],
  ])('%s is not', (address) => expect(isPublic(address)).toBe(false));
});

describe('resolving a target', () => {
  const target = parseTarget('rtmp://live.example.com/app/key');
  const lookup = async () => [
    { address: '8.8.8.8', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ];

  it('refuses it when one of several addresses is private', async () => {
    const refusal = resolveTarget(target, { allowPrivate: false, lookup });
    await expect(refusal).rejects.toThrow(/10\.0\.0\.1.*--allow-private-rtmp/);
  });

  it('gives all of them when the host allows that', async () => {
    const addresses = await resolveTarget(target, { allowPrivate: true, lookup });
    expect(addresses).toEqual(['8.8.8.8', '10.0.0.1']);
  });

  it('says when a name has no address', async () => {
    const none = async () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    const refusal = resolveTarget(target, { allowPrivate: false, lookup: none });
    await expect(refusal).rejects.toMatchObject({ code: 'target_failed' });
  });

  it.each(['2130706433', '0x7f.1', '017700000001'])('sees through %s', async (host) => {
    const disguised = parseTarget(`rtmp://${host}/live/x`);
    await expect(resolveTarget(disguised, { allowPrivate: false })).rejects.toThrow(/127\.0\.0\.1/);
  });
});
