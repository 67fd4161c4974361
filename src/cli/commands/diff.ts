import { ExitCode } from '../errors/exit-codes.js';
import { fileOption } from '../fleet-file/options.js';
import { defineCommand } from '../framework/define.js';
import { print, printJson } from '../output/print.js';

export const command = defineCommand({
  name: 'diff',
  summary: 'Show what vc up would do',
  details: 'Changes nothing. The exit code is 0 if nothing differs, and 3 otherwise.',
  arguments: {},
  options: { file: fileOption },
  examples: [
    { does: 'Compare with computers.yaml', command: 'vc diff' },
    { does: 'Apply it only if something differs', command: 'vc diff || vc up' },
  ],
  async run(context, _, { file }) {
    const [{ loadFleet, planFleet }, { inShort }, { wouldDo }] = await Promise.all([
      import('../fleet-file/load.js'),
      import('../fleet-file/plan.js'),
      import('../fleet-file/describe.js'),
    ]);
    const fleet = await loadFleet(context, file);
    const { steps, existing, volumes } = await planFleet(context, fleet);
    const { project } = fleet;
    if (context.globals.json) {
      const computers = steps.map((step) => ({ name: step.name, ...inShort(step) }));
      await printJson(context, {
        ...{ project, project_exists: existing !== undefined, computers },
        volumes: volumes.map(({ name }) => ({ name, action: 'create' })),
      });
    } else {
      for (const { name } of volumes) await print(context, `would create volume ${name}`);
      for (const step of steps) await print(context, wouldDo(step, project));
    }
    const isSame =
      volumes.length === 0 &&
      existing !== undefined &&
      steps.every(({ action }) => action === 'none');
    return isSame ? ExitCode.ok : ExitCode.differs;
  },
});
