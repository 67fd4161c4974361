import { engineChoice } from '../engine-choice.js';
import { localEngines, preferredEngine } from '../local-engines.js';
import type { Check } from './check.js';

/** Is there an engine that new computers could get, and what they are made from? */
export const engineChecks: readonly Check[] = [
  {
    name: 'engine',
    title: 'Engine',
    section: 'vc',
    needed: true,
    where: 'host',
    async run({ env, stateDirectory, signal }) {
      const choice = engineChoice(undefined, env);
      const engine = await preferredEngine(choice, { env, stateDirectory });
      const probe = await engine.probe(signal);
      if (probe.usable) return { status: 'ok', detail: `new computers get ${engine.name}` };
      const reasons = [];
      for (const other of await localEngines({ env, stateDirectory })) {
        const found = await other.probe(signal);
        if (!found.usable) reasons.push(`${other.name}: ${found.reason}`);
      }
      return { status: 'missing', detail: reasons.join('; '), remedy: 'vc setup' };
    },
  },
  {
    name: 'image',
    title: 'Linux image',
    section: 'vc',
    needed: true,
    where: 'host',
    async run({ env, stateDirectory, signal }) {
      const engine = await preferredEngine(engineChoice(undefined, env), { env, stateDirectory });
      if (!(await engine.probe(signal)).usable) {
        return { status: 'skipped', detail: `${engine.name} cannot be used` };
      }
      const built = (await engine.images(signal)).find(({ name }) => name === 'linux');
      const remedy = `vc image build linux --engine ${engine.name}`;
      if (built === undefined) {
        return { status: 'missing', detail: `not built yet for ${engine.name}`, remedy };
      }
      const { currentRecipeHash } = await import('../images/recipes.js');
      if (built.recipeHash !== (await currentRecipeHash('linux', engine.name))) {
        return { status: 'stale', detail: 'built from an older recipe', remedy };
      }
      return { status: 'ok', detail: `${Math.round(built.bytes / 1e6)} MB for ${engine.name}` };
    },
  },
];
