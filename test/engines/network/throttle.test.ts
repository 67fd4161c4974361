import { expect, it } from 'vitest';
import type { ComputerNetwork } from '../../../src/contract/resources.js';
import { notThrottled, throttleOf } from '../../../src/engines/network/throttle.js';

it('bounds both directions by a rate, with a burst that a fast network needs', () => {
  const slow = 'tbf rate 1mbit burst 34000 limit 70000';
  expect(throttleOf({ internet: true, rate: '1mbit' })).toEqual({ egress: slow, ingress: slow });
  expect(throttleOf({ allow: ['example.com'], rate: '1gbit' }).egress).toBe(
    'tbf rate 1gbit burst 1250000 limit 25000000',
  );
});

it('delays one direction, which a round trip passes once', () => {
  expect(throttleOf({ internet: true, delay: '200ms' })).toEqual({
    egress: 'netem limit 100000 delay 200ms',
    ingress: '',
  });
  // Room for what is on its way: 125 kB/s for 400 ms, and a queue.
  expect(throttleOf({ internet: true, delay: '200ms', rate: '1mbit' })).toEqual({
    egress: 'netem limit 80 delay 200ms rate 1mbit',
    ingress: 'tbf rate 1mbit burst 34000 limit 70000',
  });
});

it.each([
  [
    { rate: '1mbit' },
    'modprobe -a ifb sch_tbf sch_ingress cls_u32 act_mirred; or leave out "rate".',
  ],
  [{ delay: '200ms' }, 'modprobe -a ifb sch_netem; or leave out "delay".'],
  [
    { rate: '1mbit', delay: '200ms' },
    'modprobe -a ifb sch_netem sch_tbf sch_ingress cls_u32 act_mirred; or leave out "rate" and "delay".',
  ],
])('says what a kernel needs for %j', (throttle, remedy) => {
  const error = notThrottled(
    throttleOf({ internet: true, ...throttle }),
    'Error: Specified qdisc kind is unknown.\nmore',
  );
  expect(error.message).toContain('on this host (Specified qdisc kind is unknown.)');
  expect(error.remedy).toBe(`Load the kernel modules: ${remedy}`);
});

it('leaves other networks as they are', () => {
  const networks: ComputerNetwork[] = ['internet', 'none', { allow: ['example.com'] }];
  for (const network of networks) {
    expect(throttleOf(network)).toEqual({ egress: '', ingress: '' });
  }
});
