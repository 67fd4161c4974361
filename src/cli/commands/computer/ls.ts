import { COMPUTER_STATUSES } from '../../../contract/constants.js';
import type { Computer } from '../../../contract/index.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, enumerate, flag, list, oneOf, value } from '../../framework/define.js';
import { labelSelector, withLabels } from '../../input/labels.js';
import { nonEmpty } from '../../input/parse.js';
import { computerColumns } from '../../output/columns.js';
import { fields } from '../../output/fields.js';
import { sortOption, tableFormat } from '../../output/format/options.js';
import { printList } from '../../output/list.js';
import { intervalOf, watchList, watchOptions } from '../../output/watch/watch-list.js';
import { defaultProject } from '../../targets/lookup/default-project.js';
import { listComputers } from '../../targets/lookup/find-computer.js';

const sortByField = sortOption<Computer>({
  name: ({ project_name, name }) => `${project_name}/${name}`,
  status: ({ status }) => status,
  os: ({ os }) => os,
  cpu: ({ cpu }) => cpu,
  ram: ({ ram }) => ram,
  engine: ({ engine }) => engine,
  created: ({ created_at }) => created_at,
  started: ({ started_at }) => started_at ?? '',
  id: ({ id }) => id,
});

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List computers',
  details: [
    'Lists the project of -p, VC_PROJECT or the profile, else all projects. With --watch a terminal',
    'shows a table that is kept up to date; in a pipe and with --json each computer is printed when it',
    'is new or has changed, and with the status deleted when it is gone.',
  ].join(' '),
  arguments: {},
  options: {
    all: flag('-a, --all', 'list the computers of all projects'),
    status: list(
      '--status <status>',
      'only computers with this status; repeatable',
      oneOf(COMPUTER_STATUSES),
      { choices: COMPUTER_STATUSES },
    ),
    label: labelSelector,
    image: value('--image <name>', 'only computers with this image', nonEmpty, {
      completes: 'image',
    }),
    sort: sortByField,
    ...watchOptions,
    output: tableFormat,
  },
  fields: fields.computer,
  examples: [
    { does: 'List the computers of a project', command: 'vc ls -p demo' },
    {
      does: 'List those with a label, and the labels of each',
      command: 'vc ls -l team=qa -o wide',
    },
    { does: 'List all computers as JSON', command: 'vc ls --all --json' },
    {
      does: 'Watch the running computers, the newest first',
      command: 'vc ls --status running --sort=-created --watch',
    },
  ],
  async run(context, _, { all, status: statuses, label, image, sort, ...watching }) {
    const interval = intervalOf(watching);
    let known: readonly Computer[] = [];
    const read = async (inner: Context) => {
      const project = all ? undefined : await defaultProject(inner);
      known = await listComputers(inner, project, label);
      const found = known.filter((computer) => isWanted(computer, statuses, image));
      return sort === undefined ? found : sort(found);
    };
    /** It is deleted, or has another status than the wanted ones. */
    const gone = (computer: Computer) =>
      known.find(({ id }) => id === computer.id) ?? deleted(computer);
    const selected = `${withLabels(label)}${image === undefined ? '' : ` with the image ${image}`}`;
    const empty =
      statuses.length > 0
        ? `no computers${selected} are ${enumerate(statuses)}`
        : selected !== ''
          ? `no computers${selected}`
          : 'no computers yet; create one: vc create NAME';
    const shared = { columns: computerColumns, id: ({ id }: Computer) => id, empty };
    if (interval !== undefined) {
      return watchList(context, { ...shared, read, gone }, interval);
    }
    const computers = await read(context);
    await printList(context, { ...shared, document: { computers }, rows: computers });
  },
});

function isWanted(
  computer: Computer,
  statuses: readonly string[],
  image: string | undefined,
): boolean {
  const hasStatus = statuses.length === 0 || statuses.includes(computer.status);
  return hasStatus && (image === undefined || computer.image === image);
}

function deleted(computer: Computer): Computer {
  return { ...computer, status: 'deleted' as Computer['status'] };
}
