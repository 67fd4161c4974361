import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../package-root.js';
import { defineCommand } from '../define.js';
import { note } from '../output.js';

export const command = defineCommand({
  name: '__generate',
  hidden: true,
  summary: 'Write the files that follow from the command tree and the contract',
  arguments: {},
  options: {},
  examples: [],
  async run(context) {
    const { generatedFiles } = await import('../generate/files.js');
    const root = fileURLToPath(packageRoot);
    const files = await generatedFiles();
    // The page of a command that is no more goes.
    for (const page of await readdir(join(root, 'man'))) {
      if (!files.has(`man/${page}`)) await rm(join(root, 'man', page));
    }
    for (const [path, content] of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
      await note(context, `wrote ${path}`);
    }
    return undefined;
  },
});
