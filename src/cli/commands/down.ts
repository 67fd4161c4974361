import { ExitCode } from '../errors/exit-codes.js';
import { fileOption } from '../fleet-file/options.js';
import { defineCommand, enumerate, flag } from '../framework/define.js';
import { confirmRemoval } from '../input/confirm-removal.js';
import { done, note, printJson } from '../output/print.js';
import { request } from '../targets/client.js';
import { forEach } from '../targets/for-each.js';

export const command = defineCommand({
  name: 'down',
  summary: 'Permanently remove the computers that vc up created',
  details: [
    'Also removes those that the file no longer has, and the project if vc up created it and it has',
    'nothing else. Other computers of the project, images and volumes stay.',
  ].join(' '),
  arguments: {},
  options: { file: fileOption, yes: flag('-y, --yes', 'do not ask for confirmation') },
  examples: [
    { does: 'Remove the computers of computers.yaml after confirmation', command: 'vc down' },
    { does: 'Without confirmation', command: 'vc down -f qa.yaml --yes' },
  ],
  async run(context, _, { file, yes }) {
    const [{ findProject, loadFleet }, { removeIfEmpty }, { isOfFile, UP }] = await Promise.all([
      import('../fleet-file/load.js'),
      import('../fleet-file/apply.js'),
      import('../fleet-file/own-labels.js'),
    ]);
    const { project } = await loadFleet(context, file);
    const made = (await findProject(context, project))?.computers.filter(isOfFile) ?? [];
    if (made.length === 0) {
      await note(context, `nothing to remove: vc up created no computers in project ${project}`);
      if (context.globals.json) await printJson(context, []);
      return ExitCode.ok;
    }
    const ids = new Map(made.map(({ name, id }) => [name, id]));
    const names = enumerate(
      made.map(({ name }) => `${project}/${name}`),
      'and',
    );
    const question = `Permanently remove ${names} and all data on the disk?`;
    await confirmRemoval(await context.prompt(), { question, yes });
    context.whenInterrupted('the service may still be removing them; to continue: vc down');
    const code = await forEach(context, {
      names: [...ids.keys()],
      asList: true,
      doing: `Removing the computers of ${project}`,
      work: (name) => request(context, 'deleteComputer', { params: { id: ids.get(name) ?? '' } }),
      did: (name) => `removed ${project}/${name}`,
    });
    if (code !== ExitCode.ok || !made.some(({ labels }) => UP.project in labels)) return code;
    if (await removeIfEmpty(context, project)) await done(context, `removed project ${project}`);
    else await note(context, `kept project ${project}: it has other computers, or secrets`);
    return code;
  },
});
