import { existsSync, readFileSync } from 'node:fs';

const TABLE = '/proc/net/if_inet6';

/** The reason why tests of `::1` do not run; undefined if this host has it. */
export const noIpv6 =
  existsSync(TABLE) && /^0{31}1 /m.test(readFileSync(TABLE, 'utf8'))
    ? undefined
    : 'this host has no IPv6 loopback';

/** The addresses of loopback that this host has. */
export const LOOPBACK = noIpv6 === undefined ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
