import { defaultProject } from '../../address.js';
import { computerColumns } from '../../columns.js';
import type { Context } from '../../context.js';
import { defineCommand, flag } from '../../define.js';
import { fields } from '../../fields.js';
import { note, print, printJson } from '../../output.js';
import { printTable } from '../../table.js';

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List computers',
  details: 'Those of the project that -p, VC_PROJECT or the profile gives, else those of all.',
  arguments: {},
  options: { all: flag('-a, --all', 'computers of all projects') },
  fields: fields.computer,
  examples: [
    { does: 'List the computers of a project', command: 'vc computer ls -p demo' },
    { does: 'List all, for a program', command: 'vc computer ls --all --json' },
  ],
  async run(context, _, { all }) {
    const answer = await listComputers(context, all ? undefined : await defaultProject(context));
    const { computers } = answer;
    if (context.globals.json) await printJson(context, answer);
    else if (context.globals.quiet) for (const { id } of computers) await print(context, id);
    else if (computers.length > 0) await printTable(context, computerColumns, computers);
    else await note(context, 'no computers yet; make one with: vc computer create PROJECT/NAME');
    return undefined;
  },
});

/** The service's list for one project; of all projects a list in the same form. */
async function listComputers(context: Context, project: string | undefined) {
  const client = await context.client();
  const { signal } = context.interrupts;
  if (project !== undefined) {
    return client.request('listComputers', { params: { project }, signal });
  }
  const { projects } = await client.request('listProjects', { signal });
  const lists = await Promise.all(
    projects.map(({ id }) => client.request('listComputers', { params: { project: id }, signal })),
  );
  return { computers: lists.flatMap(({ computers }) => computers) };
}
