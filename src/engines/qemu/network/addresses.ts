/**
 * Two private networks are nested in every machine's network namespace, the same in each: QEMU
 * gives its guest the inner one, slirp4netns gives QEMU the outer one. Both are taken from the
 * benchmarking range, which machines may not reach in any case (see NOT_PUBLIC): so they never
 * hide a network that the host opens for them.
 */
export const GUEST_NETWORK = '198.18.0.0/24';
export const GUEST_ADDRESS = '198.18.0.15';
export const GUEST_GATEWAY = '198.18.0.2';
export const GUEST_DNS = '198.18.0.3';

export const OUTER_NETWORK = '198.19.255.0/24';
/** Where slirp4netns answers name queries, by asking the host's own resolver. */
export const DNS_ADDRESS = '198.19.255.3';

/** Inside the namespace: the port that leads to the guest's, and the socket that leads there. */
export const RELAY_PORT = 2222;
export const RELAY_SOCKET = 'ssh.sock';
