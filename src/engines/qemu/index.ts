import { type EngineDescriptor, SPARES } from '../descriptor.js';

export const qemu: EngineDescriptor = {
  name: 'qemu',
  title: 'QEMU',
  runsIn: 'virtual machines',
  options: [SPARES],
  environment: [],
  open: async (stateDirectory, service) => (await load()).openQemu(stateDirectory, service),
  images: {
    methods: ['mmdebstrap'],
    build: async (stateDirectory, request) => (await images()).build(stateDirectory, request),
    import: async (stateDirectory, request) => (await images()).importDisk(stateDirectory, request),
    remove: async (...given) => (await images()).remove(...given),
    warm: async (...given) => (await images()).warm(...given),
  },
  setup: async () => (await import('./setup.js')).qemuSetup,
  checks: async () => (await import('./checks.js')).qemuChecks,
};

const load = () => import('./engine.js');
const images = () => import('./images/manage.js');
