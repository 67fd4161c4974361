import { ScaleEngine } from './engine.js';

/** In place of `src/engines/index.ts`. */
export const engines = [
  {
    ...{ name: 'cluster', title: 'Cluster in memory', runsIn: 'memory', canFork: false },
    ...{ options: [], environment: [], images: { methods: [] } },
    open: async (stateDirectory) => new ScaleEngine(stateDirectory),
  },
];
