import { describe, expect, it } from 'vitest';
import {
  machineRules,
  replaceHostAddresses,
} from '../../../../src/engines/qemu/network/firewall-rules.js';
import {
  localRoutes,
  type MachineNetwork,
  netdevArguments,
  planNetwork,
} from '../../../../src/engines/qemu/network/plan.js';

const TABLE = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 127.0.0.0/8 2 0 2
        +-- 127.0.0.0/31 1 0 0
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     |-- 192.0.2.2
        /32 host LOCAL
     |-- 192.0.2.255
        /32 link BROADCAST
`;

describe('host addresses', () => {
  it('are the local routes of the kernel', () => {
    expect(localRoutes(TABLE)).toEqual(['127.0.0.0/8', '127.0.0.1/32', '192.0.2.2/32']);
  });
});

describe('nft rules', () => {
  const rules = machineRules(
    { internet: true, allowNetworks: ['10.1.0.0/16', '10.1.2.0/24'] },
    ['127.0.0.0/8', '127.0.0.1/32', '192.0.2.2/32'],
    'rate',
  );

  it('reject the host before they accept the internet', () => {
    const order = [
      '@allowed_hosts accept',
      '@host goto',
      '@allowed accept',
      '@closed goto',
      'nfproto ipv4 accept',
    ];
    const places = order.map((words) => rules.indexOf(words));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });

  it('contain no overlapping ranges, which nft rejects', () => {
    expect(rules).toContain(
      'set host { type ipv4_addr; flags interval; elements = { 127.0.0.0/8, 192.0.2.2/32 }; }',
    );
    expect(rules).not.toContain('10.1.2.0/24');
    expect(replaceHostAddresses(['127.0.0.0/8', '127.0.0.1/32'])).toBe(
      'flush set inet vc host\nadd element inet vc host { 127.0.0.0/8 }\n',
    );
  });

  it("open the host's own address only if it is named alone", () => {
    const allowNetworks = ['10.1.0.0/16', '10.1.2.3', '10.1.2.4/32'];
    const opened = machineRules({ internet: true, allowNetworks }, ['10.1.2.3/32'], 'rate');
    expect(opened).toContain(
      'set allowed_hosts { type ipv4_addr; flags interval; elements = { 10.1.2.3/32, 10.1.2.4/32 }; }',
    );
    expect(rules).toContain('set allowed_hosts { type ipv4_addr; flags interval;  }');
  });

  it('block DNS too without internet access', () => {
    const closed = machineRules({ internet: false, allowNetworks: [] }, [], 'no rate');
    expect(closed).not.toContain('dport 53');
    expect(closed).not.toContain('nfproto ipv4 accept');
    expect(closed).not.toContain('limit rate');
  });
});

describe('a planned network', () => {
  const usable = { usable: true, counting: 'rate', detail: '' } as const;
  const internet = { internet: true, allowNetworks: [] };

  it('is filtered if the host supports it and the policy allows any access', async () => {
    const plan = await planNetwork(usable, internet);
    expect(plan).toMatchObject({
      mode: 'filtered',
      guest: { address: '198.18.0.15/24', gateway: '198.18.0.2', dns: ['198.18.0.3'] },
    });
    expect(plan.rules).toContain(plan.hostAddresses.find((one) => one.endsWith('/8')));
    expect(netdevArguments(plan, 22).join()).toMatch(
      /hostfwd=tcp:127\.0\.0\.1:2222-198\.18\.0\.15:22$/,
    );
  });

  it('has no name server without internet access', async () => {
    const plan = await planNetwork(usable, { internet: false, allowNetworks: ['10.0.0.0/8'] });
    expect(plan).toMatchObject({ mode: 'filtered', guest: { dns: [] } });
  });

  it.each([
    [true, 'isolated', true],
    [false, 'restricted', false],
  ])(
    'is closed if filtering does not work (namespaces: %s)',
    async (namespaces, mode, forwards) => {
      const probe = { usable: false, namespaces, reason: '', remedy: '' } as const;
      const plan: MachineNetwork = await planNetwork(probe, internet);
      expect(plan).toMatchObject({ mode, guest: null });
      const netdev = netdevArguments(plan, 22).join();
      expect(netdev).toContain('restrict=on');
      // Without a namespace this would open a port on the host.
      expect(netdev.includes('hostfwd')).toBe(forwards);
    },
  );
});
