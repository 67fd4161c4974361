import { type EngineDescriptor, SPARES } from '../descriptor.js';

export const docker: EngineDescriptor = {
  name: 'docker',
  title: 'Docker',
  runsIn: 'containers',
  canFork: false,
  options: [{ type: 'flag', name: 'allow-sudo', summary: 'allow sudo in containers' }, SPARES],
  environment: [['DOCKER_HOST', 'Docker Engine to use, for example unix:///var/run/docker.sock']],
  open: async (stateDirectory, service) => {
    const { openDocker } = await import('./open.js');
    return openDocker(stateDirectory, service);
  },
  images: {
    methods: ['mmdebstrap', 'dockerfile'],
    build: async (_, request) => {
      const { connectDocker } = await import('../containers/client.js');
      const { buildImage } = await import('../containers/images/build.js');
      return buildImage(connectDocker(), request);
    },
    remove: async (_, name, signal) => {
      const { connectDocker } = await import('../containers/client.js');
      const { removeImage } = await import('../containers/images/remove.js');
      return removeImage(connectDocker(), name, signal);
    },
  },
  setup: async () => (await import('./setup.js')).dockerSetup,
  checks: async () => (await import('../containers/checks/checks.js')).dockerChecks,
};
