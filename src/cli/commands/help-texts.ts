import { defineCommand } from '../define.js';
import { write } from '../io.js';

export const command = defineCommand({
  name: '__help-texts',
  hidden: true,
  summary: 'Print the text of every --help as one JSON document, for the build',
  arguments: {},
  options: {},
  examples: [],
  async run({ io }) {
    const { renderHelpTexts } = await import('../generate/help-texts.js');
    await write(io.stdout, JSON.stringify(await renderHelpTexts()));
    return undefined;
  },
});
