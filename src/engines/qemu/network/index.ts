export { GUEST_ADDRESS, GUEST_DNS, GUEST_GATEWAY } from './addresses.js';
export { netdevArguments } from './netdev.js';
export {
  type GuestNetwork,
  type MachineNetwork,
  type NetworkMode,
  type NetworkPolicy,
  planNetwork,
} from './plan.js';
export { type NetworkProbe, probeNetwork } from './probe.js';
export { refreshNetwork } from './refresh.js';
