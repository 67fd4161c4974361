import type { ComputerNetwork } from '../../contract/resources/network.js';

/** As for `--network`: `none`, `allow=example.com,10.0.0.0/8` or `internet,rate=1mbit`. */
export function shownNetwork(network: ComputerNetwork): string {
  if (typeof network === 'string') return network;
  const { allow, rate, delay } = network;
  return [
    allow === undefined ? 'internet' : `allow=${allow.join(',')}`,
    ...(rate === undefined ? [] : [`rate=${rate}`]),
    ...(delay === undefined ? [] : [`delay=${delay}`]),
  ].join(',');
}
