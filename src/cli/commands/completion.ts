import { readFile } from 'node:fs/promises';
import { packageRoot } from '../../lib/package-root.js';
import { argument, defineCommand, oneOf } from '../framework/define.js';
import { write } from '../framework/io.js';

const shells = ['bash', 'zsh', 'fish'] as const;
const files = { bash: 'vc.bash', zsh: '_vc', fish: 'vc.fish' } as const;

export const command = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for a shell',
  arguments: {
    shell: argument('shell', 'bash, zsh or fish', oneOf(shells), { choices: shells }),
  },
  options: {},
  examples: [
    { does: 'Enable it in the current bash', command: 'source <(vc completion bash)' },
    {
      does: 'Install it for bash',
      command: 'vc completion bash > ~/.local/share/bash-completion/completions/vc',
    },
    { does: 'Install it for zsh', command: 'vc completion zsh > "$fpath[1]/_vc"' },
    {
      does: 'Install it for fish',
      command: 'vc completion fish > ~/.config/fish/completions/vc.fish',
    },
  ],
  async run({ io }, { shell }) {
    await write(io.stdout, await readFile(new URL(`completions/${files[shell]}`, packageRoot)));
  },
});
