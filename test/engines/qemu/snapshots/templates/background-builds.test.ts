import { expect, it } from 'vitest';
import { BackgroundBuilds } from '../../../../../src/engines/qemu/snapshots/templates/background-builds.js';
import { eventually } from '../../../../support/eventually.js';

it('builds no template of its own accord while there are many', async () => {
  let templates = 0;
  let asked = 0;
  const mayBuild = async () => {
    asked += 1;
    return templates < 3;
  };
  const problems: string[] = [];
  const builds = new BackgroundBuilds((problem) => problems.push(problem), mayBuild, 0);
  for (let width = 320; width < 330; width++) {
    const shape = { image: 'linux', cpu: 2, ram: 0, resolution: { width, height: 240 } };
    builds.schedule(shape, async () => {
      templates += 1;
    });
    await eventually(async () => asked === width - 319);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await builds.close();
  expect({ templates, problems }).toEqual({ templates: 3, problems: [] });
});
