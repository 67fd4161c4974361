import { argument, defineCommand, oneOf } from '../define.js';
import { write } from '../io.js';

const shells = ['bash', 'zsh', 'fish'] as const;

export const command = defineCommand({
  name: 'completion',
  summary: 'Print a completion script for a shell',
  arguments: {
    shell: argument('shell', 'bash, zsh or fish', oneOf(shells), { choices: shells }),
  },
  options: {},
  examples: [
    { does: 'In bash, for this shell', command: 'source <(vc completion bash)' },
    {
      does: 'In bash, for good',
      command: 'vc completion bash > ~/.local/share/bash-completion/completions/vc',
    },
    { does: 'In zsh, for good', command: 'vc completion zsh > "$fpath[1]/_vc"' },
    {
      does: 'In fish, for good',
      command: 'vc completion fish > ~/.config/fish/completions/vc.fish',
    },
  ],
  async run(context, { shell }) {
    const { renderCompletion } = await import('../generate/completion.js');
    const { loadOutline } = await import('../generate/outline.js');
    await write(context.io.stdout, renderCompletion(shell, await loadOutline()));
    return undefined;
  },
});
