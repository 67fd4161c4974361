import { ApiError } from '../../contract/errors.js';
import type { ComputerNetwork } from '../../contract/resources/network.js';
import { numberOf } from '../../lib/net/throttle.js';

/** tc's words for the queues of a device: of what it sends, and of what it receives. */
export interface Throttle {
  /** Empty for none; then `ingress` is too. */
  readonly egress: string;
  readonly ingress: string;
}

/** Bytes that pass at once: a packet, of which slirp4netns sends 32 KiB at most, and 10 ms of a fast network. */
const LEAST_BURST = 34_000;
/** Bytes that wait for a slow network: more than the window of slirp4netns, which recovers slowly from losses. */
const LEAST_QUEUE = 70_000;
/** Time that packets wait for a fast network. */
const QUEUE_S = 0.2;
const PACKET_BYTES = 1500;
/** Packets that are delayed at once where no rate bounds them. */
const MOST_DELAYED = 100_000;

/** The whole delay is in one direction: it is added to each round trip once. */
export function throttleOf(network: ComputerNetwork): Throttle {
  const { rate, delay } = typeof network === 'string' ? {} : network;
  const bytes = rate === undefined ? undefined : numberOf(rate) / 8;
  const limited =
    bytes === undefined
      ? ''
      : `tbf rate ${rate} burst ${atLeast(LEAST_BURST, bytes / 100)} limit ${atLeast(LEAST_QUEUE, bytes * QUEUE_S)}`;
  if (delay === undefined) return { egress: limited, ingress: limited };
  const seconds = numberOf(delay) + QUEUE_S;
  const packets =
    bytes === undefined ? MOST_DELAYED : Math.ceil((bytes * seconds + LEAST_QUEUE) / PACKET_BYTES);
  const paced = rate === undefined ? '' : ` rate ${rate}`;
  return { egress: `netem limit ${packets} delay ${delay}${paced}`, ingress: limited };
}

function atLeast(least: number, bytes: number): number {
  return Math.round(Math.max(least, bytes));
}

/**
 * Shell functions that need NET_ADMIN and iproute2. A device queues what it sends only, so what it receives
 * goes by way of another one (ifb).
 *
 * `throttle DEVICE IFB EGRESS INGRESS` replaces the queues of a device; empty for none. `is_throttled
 * DEVICE` is true for a device that has them. `try_throttle IFB IFB EGRESS INGRESS` tries them with two
 * new devices.
 */
export const THROTTLE = `
throttle() {
  tc qdisc del dev "$1" root 2>/dev/null
  tc qdisc del dev "$1" ingress 2>/dev/null
  ip link del "$2" 2>/dev/null
  [ -z "$3" ] || tc qdisc add dev "$1" root handle 7: $3 || return
  [ -n "$4" ] || return 0
  ip link add name "$2" type ifb && ip link set "$2" up && tc qdisc add dev "$2" root $4 &&
    tc qdisc add dev "$1" handle ffff: ingress &&
    tc filter add dev "$1" parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev "$2"
}
is_throttled() {
  tc qdisc show dev "$1" 2>/dev/null | grep -q ' 7: root'
}
try_throttle() {
  ip link add name "$1" type ifb && throttle "$@"
  set -- $? "$@"
  ip link del "$2" 2>/dev/null
  ip link del "$3" 2>/dev/null
  return "$1"
}
`;

/** For a host that cannot throttle so; `output` is of `try_throttle`. */
export function notThrottled({ egress, ingress }: Throttle, output: string): ApiError {
  const [first = ''] = output.trim().split('\n', 1);
  const reason = first.replace(/^Error: /, '').slice(0, 200) || 'tc failed';
  const hasDelay = egress.startsWith('netem');
  const hasRate = ingress !== '';
  const modules = [
    'ifb',
    ...(hasDelay ? ['sch_netem'] : []),
    ...(hasRate ? ['sch_tbf', 'sch_ingress', 'cls_u32', 'act_mirred'] : []),
  ].join(' ');
  const fields = [...(hasRate ? ['"rate"'] : []), ...(hasDelay ? ['"delay"'] : [])].join(' and ');
  const message = `The network of the computer cannot be throttled on this host (${reason}).`;
  const remedy = `Load the kernel modules: modprobe -a ${modules}; or leave out ${fields}.`;
  return new ApiError('unsupported', message, { remedy });
}
