import { localEngine } from '../local-engine.js';
import type { Check } from './check.js';

export const dockerCheck: Check = {
  name: 'docker',
  title: 'Docker Engine',
  needed: true,
  where: 'host',
  async run({ signal }) {
    const probe = await (await localEngine()).probe(signal);
    if (probe.usable) return { status: 'ok', detail: probe.detail };
    return { status: 'missing', detail: probe.reason, remedy: probe.remedy };
  },
};

export const imageCheck: Check = {
  name: 'image',
  title: 'Linux image',
  needed: true,
  where: 'host',
  async run({ signal }) {
    const engine = await localEngine();
    if (!(await engine.probe(signal)).usable) {
      return { status: 'skipped', detail: 'the Docker Engine does not answer' };
    }
    const { recipeHash } = await import('../../images/index.js');
    const built = (await engine.images(signal)).filter(({ name }) => name === 'linux');
    const remedy = 'vc image build linux';
    if (built.length === 0) return { status: 'missing', detail: 'not built yet', remedy };
    const hash = await recipeHash('linux');
    const current = built.find((image) => image.recipeHash === hash);
    if (current === undefined) {
      return { status: 'stale', detail: 'built from an older recipe', remedy };
    }
    return { status: 'ok', detail: `${Math.round(current.bytes / 1e6)} MB` };
  },
};
