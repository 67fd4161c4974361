import { expect, it } from 'vitest';
import { ComputerNetwork } from '../../src/contract/resources/network.js';
import { parseDestination } from '../../src/lib/net/destination.js';

it.each([
  ['example.com', { domain: 'example.com' }],
  ['*.Debian.org', { domain: 'debian.org' }],
  ['db.internal:5432', { domain: 'db.internal', port: 5432 }],
  ['203.0.113.0/24', { network: '203.0.113.0/24' }],
  ['198.51.100.7:8080', { network: '198.51.100.7', port: 8080 }],
  ['xn--bcher-kva.example', { domain: 'xn--bcher-kva.example' }],
])('reads %s', (entry, destination) => {
  expect(parseDestination(entry)).toEqual({ port: undefined, ...destination });
});

it.each([
  ['', 'must be a domain'],
  ['*', 'must be a domain'],
  ['a.*.example.com', 'must be a domain'],
  ['-a.example.com', 'must be a domain'],
  ['example.com.', 'must be a domain'],
  ['exa mple.com', 'must be a domain'],
  ['example.com/../#', 'must be a domain'],
  ['example.com\nserver=/x/', 'must be a domain'],
  [`${'a'.repeat(64)}.example.com`, 'must be a domain'],
  [`${'a.'.repeat(130)}com`, 'must be a domain'],
  ['1.2.3', 'must be a domain'],
  ['256.0.0.1', 'must be a domain'],
  ['10.0.0.0/33', 'must be a domain'],
  ['bücher.example', 'must be ASCII'],
  ['https://example.com', 'not a URL'],
  ['2001:db8::1', 'must be IPv4'],
  ['[2001:db8::1]:443', 'must be IPv4'],
  ['example.com:', 'must have a port'],
  ['example.com:0', 'must have a port'],
  ['example.com:65536', 'must have a port'],
  ['example.com:80-90', 'must have a port'],
])('refuses %j', (entry, message) => {
  expect(() => parseDestination(entry)).toThrow(message);
});

const problem = (network: unknown) => ComputerNetwork.safeParse(network).error?.issues[0]?.message;

it('says what is wrong with a policy', () => {
  const form = /^must be "internet", "none" or \{"allow"/;
  for (const wrong of ['all', null, [], {}, 7]) {
    expect(problem(wrong), JSON.stringify(wrong)).toMatch(form);
  }
  expect(problem({ allow: [] })).toContain('must have 1 to 64 entries');
  expect(problem({ allow: Array(65).fill('example.com') })).toContain('1 to 64 entries');
  expect(problem({ allow: ['example.com', '::1'] })).toContain('must be IPv4');
  expect(problem({ allow: [7] })).toContain('must be a domain');
  for (const more of [{}, { allow: ['a.b'] }]) {
    expect(problem({ ...more, deny: ['c.d'] })).toContain('"deny"');
  }
  expect(problem({ allow: ['example.com'] })).toBeUndefined();
});

it('throttles a list, or the internet', () => {
  const right = [{ rate: '8kbit' }, { rate: '10gbit' }, { delay: '1ms' }, { delay: '10s' }];
  for (const throttle of [...right, { rate: '1mbit', delay: '200ms' }]) {
    expect(problem({ internet: true, ...throttle })).toBeUndefined();
    expect(problem({ allow: ['example.com'], ...throttle })).toBeUndefined();
  }
  for (const rate of [
    '1',
    '1 mbit',
    '1Mbit',
    '7kbit',
    '11gbit',
    '0mbit',
    '1.5mbit',
    '1mbit;x',
    1,
  ]) {
    expect(problem({ internet: true, rate }), `${rate}`).toContain('from "8kbit" to "10gbit"');
    expect(problem({ allow: ['a.b'], rate }), `${rate}`).toContain('from "8kbit" to "10gbit"');
  }
  for (const delay of ['200', '0ms', '11s', '-1ms', '1.5s', '']) {
    expect(problem({ internet: true, delay }), delay).toContain('from "1ms" to "10s"');
  }
  for (const wrong of [{ rate: '1mbit' }, { internet: false, rate: '1mbit' }]) {
    expect(problem(wrong)).toMatch(/must be/);
  }
  expect(problem({ internet: true, allow: ['a.b'] })).toMatch(/^must be "internet"/);
});
