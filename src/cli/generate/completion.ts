import { renderBash } from './completion-bash.js';
import { renderFish } from './completion-fish.js';
import { renderZsh } from './completion-zsh.js';
import type { Outline } from './outline.js';

export type Shell = 'bash' | 'zsh' | 'fish';

const renderers = { bash: renderBash, zsh: renderZsh, fish: renderFish };

/** The completion script of a shell. */
export function renderCompletion(shell: Shell, outline: Outline): string {
  return renderers[shell](outline);
}
