import { expect, test } from 'vitest';
import { chooseAddress, parseSubnet } from '../../../src/engines/incus/machine/addresses.js';

const subnet = (text: string) => {
  const parsed = parseSubnet(text);
  if (parsed === undefined) throw new Error(`${text} is no subnet`);
  return parsed;
};

test('reads the address of the gateway with its prefix', () => {
  expect(parseSubnet('10.150.0.1/16')).toEqual({ gateway: 0x0a960001, prefix: 16 });
  for (const text of ['', 'auto', '10.150.0.1', '10.150.0.256/16', '10.0.0.1/7', 'fd42::1/64']) {
    expect(parseSubnet(text), text).toBeUndefined();
  }
});

test('gives every machine another address, never the gateway, the network or the broadcast one', () => {
  const small = subnet('10.9.8.1/28');
  const taken = new Set<string>();
  for (let machine = 0; machine < 13; machine++) {
    taken.add(chooseAddress(small, `cmp_${machine}`, taken, 1));
  }
  const all = Array.from({ length: 13 }, (_, index) => `10.9.8.${index + 2}`);
  expect([...taken].sort()).toEqual(all.sort());
  expect(() => chooseAddress(small, 'cmp_more', taken, 1)).toThrow('no address');
});

test('is the same for a machine each time, and another one at the next attempt', () => {
  const large = subnet('10.150.0.1/16');
  const first = chooseAddress(large, 'cmp_one', new Set(), 1);
  expect(chooseAddress(large, 'cmp_one', new Set(), 1)).toBe(first);
  expect(chooseAddress(large, 'cmp_one', new Set(), 2)).not.toBe(first);
  expect(first).toMatch(/^10\.150\.\d+\.\d+$/);
});
