export { accelerationArguments, type KvmVerdict, probeKvm } from './kvm.js';
export { probesIn, removeAbandonedProbes } from './probe-directory.js';
export { qemuVersion } from './version.js';
