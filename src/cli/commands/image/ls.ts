import { defineCommand } from '../../define.js';
import { fields } from '../../fields.js';
import { type Listed, listStored, shownName } from '../../images/list.js';
import { note, print, printJson } from '../../output.js';
import { type Column, printTable } from '../../table.js';

const columns: readonly Column<Listed>[] = [
  { header: 'NAME', value: shownName, shrinks: true },
  { header: 'ENGINE', value: ({ engine }) => engine },
  { header: 'OS', spare: 3, value: ({ os }) => os },
  { header: 'KIND', spare: 1, value: ({ kind }) => kind },
  { header: 'SIZE', value: ({ bytes }) => `${Math.round(bytes / 1e6)} MB` },
  { header: 'CREATED', spare: 2, value: ({ createdAt }) => createdAt.toISOString(), isTime: true },
  {
    header: 'STATE',
    value: ({ state }) => state,
    color: (text, chalk) => (text === 'stale' ? chalk.yellow(text) : text),
  },
];

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List the machine images on this machine',
  details: [
    'Of all engines: images built from a recipe, imported disks, and templates, which are images',
    'kept booted for one shape of computer. What is stale was made from what has changed since.',
  ].join(' '),
  arguments: {},
  options: {},
  fields: fields.image,
  examples: [
    { does: 'See which images there are', command: 'vc image ls' },
    { does: 'Their names and sizes, for a program', command: 'vc image ls --json=name,bytes' },
  ],
  async run(context) {
    const { listed, away } = await listStored(context);
    if (context.globals.json) await printJson(context, { images: listed.map(document) });
    else if (context.globals.quiet) {
      for (const name of new Set(listed.map((image) => image.name))) await print(context, name);
    } else if (listed.length > 0) await printTable(context, columns, listed);
    else {
      for (const line of away) await note(context, line);
      await note(context, 'no images yet; build one with: vc image build linux');
    }
    return undefined;
  },
});

/** All fields whatever it is, so that a script can ask for each of every one. */
function document({ template, recipeHash, createdAt, ...image }: Listed) {
  const { name, engine, os, kind, bytes, state } = image;
  const { key = null, cpu = null, ram = null, resolution = null } = template ?? {};
  const created_at = createdAt.toISOString();
  const recipe_hash = recipeHash ?? null;
  return {
    ...{ name, engine, os, kind, bytes, created_at, state, recipe_hash },
    ...{ key, cpu, ram, resolution },
  };
}
