import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    for (const [path, content] of await generatedFiles()) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
      await note(context, `wrote ${path}`);
    }
    return undefined;
  },
});
