import type { EngineDescriptor } from '../../../src/engines/descriptor.js';
import { MemoryEngine } from './engine.js';

/** A complete engine in memory; shows that a folder and an entry in the list are enough. */
export const memory: EngineDescriptor = {
  name: 'memory',
  title: 'Memory',
  runsIn: 'thin air',
  options: [{ type: 'flag', name: 'keep-nothing', summary: 'forget everything at once' }],
  environment: [['MEMORY_LIMIT', 'what the engine memory may use']],
  open: async () => new MemoryEngine(),
  images: {
    methods: ['imagine'],
    build: async (_, { name, onProgress }) => {
      onProgress('imagining');
      return { id: 'thought-1', name, os: 'linux', bytes: 5e6, createdAt: new Date(0) };
    },
    remove: async () => undefined,
    import: async (_, { name, os }) => ({ name, os, bytes: 7e6, createdAt: new Date(0) }),
    warm: async () => ({ key: 'warm-thought', isNew: true }),
  },
  setup: async () => ({
    packages: [{ sign: '/nonexistent/memory', name: 'memory-tools', purpose: 'thinks' }],
    grants: async () => [],
    removal: { usedBy: async () => undefined },
  }),
  checks: async () => [
    {
      name: 'memory-size',
      title: 'Size',
      run: async () => ({ status: 'ok', detail: 'large enough' }),
    },
  ],
};
