import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bridgeName, bridgePrefix } from '../../../../src/engines/containers/ids.js';
import { firewallRules } from '../../../../src/engines/containers/network/firewall-rules.js';
import { nameServers, resolversOf } from '../../../../src/engines/containers/network/resolvers.js';
import { Subnets } from '../../../../src/engines/containers/network/subnets.js';
import {
  formatCidr,
  includesEverything,
  overlap,
  parseCidr,
} from '../../../../src/lib/net/cidr.js';

describe('subnets', () => {
  it('are all different until the pool is used up', () => {
    const subnets = new Subnets('10.213.0.0/25');
    const taken: string[] = [];
    for (let i = 0; i < 32; i++) taken.push(subnets.choose(`m${i}`, taken));
    expect(new Set(taken).size).toBe(32);
    for (const subnet of taken) expect(subnet).toMatch(/^10\.213\.0\.\d+\/30$/);
    expect(() => subnets.choose('m32', taken)).toThrow('in use');
  });

  it('do not overlap existing networks of any size', () => {
    const subnets = new Subnets('10.213.0.0/16');
    const taken = ['10.213.0.0/17', '10.213.128.0/18', 'fd00::/64', '10.213.192.1/19'];
    const [, third] = subnets.choose('x', taken).split('.').slice(1);
    expect(Number(third)).toBeGreaterThanOrEqual(224);
  });

  it('rarely collide for machines created at the same time', () => {
    const subnets = new Subnets('10.213.0.0/16');
    const chosen = Array.from({ length: 100 }, (_, i) => subnets.choose(`cmp_${i}`, []));
    expect(new Set(chosen).size).toBeGreaterThan(95);
  });

  it('need a valid pool', () => {
    for (const pool of ['', '10.0.0.0/33', '10.0.0.0/31', '300.0.0.0/8', 'fd00::/8', '10.0.0/8']) {
      expect(() => new Subnets(pool)).toThrow();
    }
  });
});

describe('CIDR', () => {
  it('is parsed and formatted without loss', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, bits) => {
        const range = parseCidr(`${address}/${bits}`);
        expect(parseCidr(formatCidr(range))).toEqual(range);
        expect(overlap(range, parseCidr(address))).toBe(true);
      }),
    );
  });
});

describe('host interfaces', () => {
  it('have names that fit Linux and differ per service', () => {
    const name = bridgeName('svc_1', 'cmp_1');
    expect(name).toHaveLength(15);
    expect(name.startsWith(bridgePrefix('svc_1'))).toBe(true);
    expect(bridgePrefix('svc_1')).not.toBe(bridgePrefix('svc_2'));
  });
});

describe('firewall rules', () => {
  const policy = {
    serviceId: 'svc_1',
    internet: true,
    allowNetworks: [],
    resolvers: ['192.168.1.1'],
  };

  it('match the reference', () => {
    expect(firewallRules(policy, 'rate and count')).toMatchInlineSnapshot(`
      "table inet vc_7ac3b6d753ff
      delete table inet vc_7ac3b6d753ff
      table inet vc_7ac3b6d753ff {
        set closed { type ipv4_addr; flags interval; elements = { 224.0.0.0/3, 0.0.0.0/8, 10.0.0.0/8, 127.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 198.18.0.0/15, 169.254.0.0/16, 192.168.0.0/16, 192.0.0.0/24, 168.63.129.16/32 }; }
        set allowed { type ipv4_addr; flags interval;  }
        set allowed_hosts { type ipv4_addr; flags interval;  }
        set resolvers { type ipv4_addr; flags interval; elements = { 192.168.1.1/32 }; }
        set recent { type ifname; size 65535; flags dynamic, timeout; timeout 1m; }
        set held { type ifname; size 65535; flags dynamic; }
        chain refuse {
          meta l4proto tcp reject with tcp reset
          reject with icmpx type admin-prohibited
        }
        chain opened {
          ct state established,related accept
          update @recent { iifname limit rate over 200/second burst 2000 packets } drop
          ct state new add @held { iifname ct count over 4096 } drop
          ip daddr @resolvers udp dport 53 accept
          ip daddr @resolvers tcp dport 53 accept
        }
        chain to_host {
          jump opened
          meta l4proto { tcp, udp } ct status dnat ct original proto-dst 53 th dport 29053 accept
          ip daddr @allowed_hosts accept
          goto refuse
        }
        chain to_networks {
          jump opened
          ip daddr @allowed accept
          ip daddr @closed goto refuse
          meta nfproto ipv4 accept
          goto refuse
        }
        chain input {
          type filter hook input priority -10; policy accept;
          iifname "vc7ac3*" goto to_host
        }
        chain forward {
          type filter hook forward priority -10; policy accept;
          oifname "vc7ac3*" ct state established,related accept
          oifname "vc7ac3*" goto refuse
          iifname "vc7ac3*" goto to_networks
        }
      }
      "
    `);
  });

  it('allow nothing without internet access, not even DNS', () => {
    const rules = firewallRules({ ...policy, internet: false }, 'none');
    expect(rules).not.toContain('192.168.1.1');
    expect(rules).not.toContain('nfproto ipv4 accept');
    expect(rules).not.toContain('limit rate');
  });

  it('allow the networks of the option, without overlaps', () => {
    const allowNetworks = ['192.168.1.0/24', '192.168.0.0/16', '10.1.2.3'];
    const rules = firewallRules({ ...policy, allowNetworks }, 'rate and count');
    expect(rules).toContain('elements = { 192.168.0.0/16, 10.1.2.3/32 };');
  });

  it("open the host's own address only if it is named alone", () => {
    const allowNetworks = ['192.168.0.0/16', '10.1.2.3', '10.1.2.4/32'];
    expect(firewallRules({ ...policy, allowNetworks }, 'rate and count')).toContain(
      'set allowed_hosts { type ipv4_addr; flags interval; elements = { 10.1.2.3/32, 10.1.2.4/32 }; }',
    );
  });

  it('reject any text that is not a network', () => {
    const allowNetworks = ['10.0.0.0/8 }; flush ruleset'];
    expect(() => firewallRules({ ...policy, allowNetworks }, 'rate and count')).toThrow(
      'not an IPv4 network',
    );
  });

  it('detect an option that allows all addresses', () => {
    expect(includesEverything(['10.0.0.0/8', '0.0.0.0/0'])).toBe(true);
    expect(includesEverything(['10.0.0.0/8'])).toBe(false);
  });
});

describe('name servers', () => {
  it('are those that a computer can reach', () => {
    const text = '# comment\nnameserver 127.0.0.53\nnameserver 192.168.1.1\nnameserver fe80::1\n';
    const all = nameServers(`${text}  nameserver 9.9.9.9 # x\n;nameserver 8.8.8.8`);
    const addresses = ['192.168.1.1', '9.9.9.9'];
    expect(resolversOf({ hasResolver: true }, all)).toEqual({ addresses, areForwarded: false });
    expect(resolversOf({ hasResolver: false }, all)).toEqual({ addresses, areForwarded: true });
  });

  it.each([
    [['9.9.9.9', '8.8.8.8'], true],
    [['9.9.9.9', '::1'], false],
    [['127.0.0.1', '9.9.9.9'], false],
    [['127.0.0.1'], false],
    [[], false],
  ])('%j are forwarded from the network of the computer: %s', (all, expected) => {
    expect(resolversOf({ hasResolver: true }, all).areForwarded).toBe(expected);
  });
});
