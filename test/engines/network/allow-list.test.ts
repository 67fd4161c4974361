import { expect, it } from 'vitest';
import {
  allowRules,
  allowSets,
  hasDomains,
  nameServerSettings,
} from '../../../src/engines/network/allow-list.js';

const list = {
  allow: ['example.com', '*.sub.example.com:5432', '10.0.0.0/8', '10.1.2.3', '198.51.100.7:8080'],
};

it('has rules for networks and sets of domains, by port', () => {
  expect(allowSets(list)).toEqual([
    'set names { type ipv4_addr; size 4096; }',
    'set names_5432 { type ipv4_addr; size 4096; }',
  ]);
  expect(allowRules(list)).toEqual([
    'ip daddr { 10.0.0.0/8 } return',
    'ip daddr { 198.51.100.7/32 } meta l4proto { tcp, udp } th dport 8080 return',
    'ip daddr @names return',
    'ip daddr @names_5432 meta l4proto { tcp, udp } th dport 5432 return',
  ]);
  for (const policy of ['none', 'internet'] as const) expect(allowRules(policy)).toEqual([]);
});

it('resolves the domains of a list only, and fills the sets of all that include a name', () => {
  expect(hasDomains(list)).toBe(true);
  expect(hasDomains({ allow: ['10.0.0.0/8'] })).toBe(false);
  const settings = nameServerSettings(list, { table: 't', upstream: ['192.0.2.53', '192.0.2.54'] });
  expect(settings.filter((line) => /^(server|nftset)/.test(line))).toEqual([
    'server=/example.com/192.0.2.53',
    'server=/example.com/192.0.2.54',
    'server=/sub.example.com/192.0.2.53',
    'server=/sub.example.com/192.0.2.54',
    'nftset=/example.com/4#inet#t#names',
    'nftset=/sub.example.com/4#inet#t#names,4#inet#t#names_5432',
  ]);
  expect(settings).toContain('no-resolv');
});
