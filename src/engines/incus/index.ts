import type { EngineDescriptor } from '../descriptor.js';
import { SETTINGS_DIRECTORY, SETTINGS_FILES } from './settings-files.js';

export const incus: EngineDescriptor = {
  name: 'incus',
  title: 'LXD and Incus',
  runsIn: 'containers of a cluster',
  onlyByName: true,
  options: [],
  environment: [],
  stateFiles: Object.values(SETTINGS_FILES).map((name) => `${SETTINGS_DIRECTORY}/${name}`),
  open: async (stateDirectory, service) =>
    (await import('./open.js')).openIncus(stateDirectory, service),
  images: {
    methods: ['mmdebstrap'],
    build: async (...given) => (await import('./images/manage.js')).build(...given),
    remove: async (...given) => (await import('./images/manage.js')).remove(...given),
  },
  setup: async () => (await import('./setup/setup.js')).incusSetup,
  checks: async () => (await import('./checks/checks.js')).incusChecks,
};
