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
  for (const wrong of ['all', null, [], {}, { deny: ['a.b'] }, 7]) {
    expect(problem(wrong), JSON.stringify(wrong)).toMatch(form);
  }
  expect(problem({ allow: [] })).toContain('must have 1 to 64 entries');
  expect(problem({ allow: Array(65).fill('example.com') })).toContain('1 to 64 entries');
  expect(problem({ allow: ['example.com', '::1'] })).toContain('must be IPv4');
  expect(problem({ allow: [7] })).toContain('must be a domain');
  expect(problem({ allow: ['a.b'], deny: ['c.d'] })).toContain('"deny"');
  expect(problem({ allow: ['example.com'] })).toBeUndefined();
});
