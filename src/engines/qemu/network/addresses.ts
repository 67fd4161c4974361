/**
 * Every machine has the same two nested networks: QEMU provides the inner one to its guest, and
 * slirp4netns the outer one to QEMU. Both are in the benchmarking range, which is always closed to
 * machines (see SPECIAL_IPV4_NETWORKS), so they never shadow a network that the operator has allowed.
 */
export const GUEST_NETWORK = '198.18.0.0/24';
export const GUEST_ADDRESS = '198.18.0.15';
export const GUEST_GATEWAY = '198.18.0.2';
export const GUEST_DNS = '198.18.0.3';

export const OUTER_NETWORK = '198.19.255.0/24';
/** The DNS forwarder of slirp4netns, which queries the host's resolver. */
export const DNS_ADDRESS = '198.19.255.3';

/** In the namespace: the port that QEMU forwards to the guest, and the socket relayed to it. */
export const RELAY_PORT = 2222;
export const RELAY_SOCKET = 'ssh.sock';
