import type { CheckResult, EngineDescriptor } from '../../engines/descriptor.js';
import type { Engine } from '../../engines/engine.js';
import { engines } from '../../engines/index.js';
import { engineChoice } from '../input/engine-choice.js';
import { localEngines, preferredEngine } from '../targets/local-engines.js';
import { type Check, missing, ok, type Surroundings } from './check.js';

/** Whether new computers have an engine and an image. */
export const hostingChecks: readonly Check[] = [
  {
    name: 'engine',
    title: 'Engine',
    section: 'vc',
    needed: true,
    where: 'host',
    async run({ env, stateDirectory, signal }) {
      const engine = await preferredEngine(engineChoice(undefined, env), stateDirectory);
      if ((await engine.probe(signal)).usable) return ok(`new computers get ${engine.name}`);
      const reasons = [];
      for (const other of await localEngines(stateDirectory)) {
        const found = await other.probe(signal);
        if (!found.usable) reasons.push(`${other.name}: ${found.reason}`);
      }
      return missing(reasons.join('; '), 'vc setup');
    },
  },
  {
    name: 'image',
    title: 'Linux image',
    section: 'vc',
    needed: true,
    where: 'host',
    async run({ env, stateDirectory, signal }) {
      const engine = await preferredEngine(engineChoice(undefined, env), stateDirectory);
      const { name } = engine;
      return ifUsable(engine, signal, async () => {
        const image = (await engine.images(signal)).find((candidate) => candidate.name === 'linux');
        const remedy = `vc image build linux --engine ${name}`;
        if (image === undefined) return missing(`not built yet for ${name}`, remedy);
        if (image.recipeHash !== (await engine.recipeHash('linux'))) {
          return { status: 'stale', detail: 'built from an older recipe', remedy };
        }
        return ok(`${Math.round(image.bytes / 1e6)} MB for ${name}`);
      });
    },
  },
];

/** The checks of every engine; vc can be used without any one of them. */
export async function engineChecks(): Promise<Check[]> {
  const checks = await Promise.all(engines.map(checksOf));
  return checks.flat();
}

async function checksOf(descriptor: EngineDescriptor): Promise<Check[]> {
  const { name: section, title } = descriptor;
  const about = { section, needed: false, where: 'host' } as const;
  const open = ({ stateDirectory }: Surroundings) => descriptor.open(stateDirectory);
  return [
    {
      ...about,
      name: section,
      title,
      run: async (surroundings) => {
        const probe = await (await open(surroundings)).probe(surroundings.signal);
        return probe.usable ? ok(probe.detail) : missing(probe.reason, probe.remedy);
      },
    },
    {
      ...about,
      name: `${section}-images`,
      title: 'Images',
      run: async (surroundings) => {
        const { signal } = surroundings;
        const engine = await open(surroundings);
        return ifUsable(engine, signal, async () => {
          const names = (await engine.images(signal)).map(({ name }) => name);
          if (names.length > 0) return ok(names.join(', '));
          return missing('none', `vc image build linux --engine ${section}`);
        });
      },
    },
    ...(await descriptor.checks()).map(({ name, title, run }) => ({
      ...about,
      name,
      title,
      run: ({ stateDirectory, signal }: Surroundings) => run(stateDirectory, signal),
    })),
  ];
}

async function ifUsable(
  engine: Engine,
  signal: AbortSignal,
  check: () => Promise<CheckResult>,
): Promise<CheckResult> {
  if ((await engine.probe(signal)).usable) return check();
  return { status: 'skipped', detail: `${engine.name} cannot be used` };
}
