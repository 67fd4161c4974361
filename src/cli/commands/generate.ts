import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../lib/package-root.js';
import { defineCommand, flag } from '../framework/define.js';
import type { CommandTree } from '../framework/nodes.js';
import { note } from '../output/print.js';

export const command = (tree: CommandTree) =>
  defineCommand({
    name: '__generate',
    hidden: true,
    summary: 'Write the files that are generated from the command tree',
    arguments: {},
    options: { dist: flag('--dist', 'write the data files of the build instead') },
    examples: [],
    async run(context, _, { dist }) {
      const { distFiles, sourceFiles } = await import('../generate/files.js');
      const root = fileURLToPath(packageRoot);
      const files = await (dist ? distFiles(tree, context.run) : sourceFiles(tree));
      if (!dist) await removeStalePages(join(root, 'man'), files);
      for (const [path, content] of files) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
        if (!dist) await note(context, `wrote ${path}`);
      }
    },
  });

async function removeStalePages(directory: string, files: ReadonlyMap<string, string>) {
  for (const page of await readdir(directory)) {
    if (!files.has(`man/${page}`)) await rm(join(directory, page));
  }
}
