import { type Engine, isForking } from '../../engines/engine.js';
import { engines } from '../../engines/index.js';
import { DEFAULT_IMAGES } from '../../images/default-images.js';
import { shellWord } from '../../lib/text/shell-word.js';
import type { ComputerRecord } from '../store/records.js';

type Source = Pick<ComputerRecord, 'project_name' | 'os'>;

/**
 * How to get a computer that can be copied, as one line of commands: from the first step that this
 * host still needs, so that none of them is refused. Undefined if no engine copies.
 */
export async function forkRemedy(
  offered: readonly Engine[],
  source: Source,
): Promise<string | undefined> {
  const able = offered.find(isForking);
  const name = able?.name ?? engines.find(({ canFork }) => canFork)?.name;
  if (name === undefined) return undefined;
  const { project_name: project, os } = source;
  const setup = `vc setup --engine ${name}`;
  const build = `vc image build ${os} --engine ${name} --if-missing`;
  const system = os === 'linux' ? '' : ` --os ${os}`;
  const create = `vc create ${shellWord(project)}/NAME --engine ${name}${system}`;
  const lead = `The engine ${name} copies computers. Create one there:`;
  if (able === undefined) {
    const serve = 'vc service stop && vc serve --detach --engine auto';
    return `${lead} ${[setup, build, serve, create].join(' && ')}`;
  }
  const missing = await missingSteps(able, { setup, build, image: DEFAULT_IMAGES[os] });
  return `${lead} ${[...missing, create].join(' && ')}`;
}

async function missingSteps(
  engine: Engine,
  { setup, build, image }: { setup: string; build: string; image: string },
): Promise<string[]> {
  if (!(await engine.probe()).usable) return [setup, build];
  const images = await engine.images().catch(() => []);
  return images.some(({ name }) => name === image) ? [] : [build];
}
