export { accelerationArguments, type KvmVerdict, probeKvm } from './kvm.js';
export { qemuVersion } from './version.js';
