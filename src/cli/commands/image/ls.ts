import type { EngineImage } from '../../../engines/engine.js';
import { defineCommand } from '../../define.js';
import { localEngine } from '../../local-engine.js';
import { note, print, printJson } from '../../output.js';
import { type Column, printTable } from '../../table.js';

const columns: readonly Column<EngineImage>[] = [
  { header: 'NAME', value: ({ name }) => name },
  { header: 'OS', value: ({ os }) => os },
  { header: 'SIZE', value: ({ bytes }) => `${Math.round(bytes / 1e6)} MB` },
  { header: 'CREATED', value: ({ createdAt }) => createdAt.toISOString(), isTime: true },
  { header: 'RECIPE', value: ({ recipeHash }) => recipeHash?.slice(0, 12) ?? '' },
];

export const command = defineCommand({
  name: 'ls',
  aliases: ['list'],
  summary: 'List the machine images on this machine',
  arguments: {},
  options: {},
  examples: [{ does: 'See which images there are', command: 'vc image ls' }],
  async run(context) {
    const images = await (await localEngine()).images(context.interrupts.signal);
    if (context.globals.json) await printJson(context, { images: images.map(document) });
    else if (context.globals.quiet) for (const { name } of images) await print(context, name);
    else if (images.length > 0) await printTable(context, columns, images);
    else await note(context, 'no images yet; build one with: vc image build linux');
    return undefined;
  },
});

function document({ name, os, recipeHash, bytes, createdAt }: EngineImage) {
  const created_at = createdAt.toISOString();
  return { name, os, bytes, created_at, recipe_hash: recipeHash ?? null };
}
