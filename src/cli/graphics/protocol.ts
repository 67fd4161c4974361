import type { Environment } from '../../profile/index.js';

/** How a terminal shows pictures in its text. */
export type Graphics = 'kitty' | 'iterm2' | 'sixel';

/**
 * What a terminal's variables say of its pictures; undefined when they leave it open, `none` where
 * something in between would swallow or spoil them.
 *
 * Sources: kitty graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol), iTerm2 inline
 * images (iterm2.com/documentation-images.html).
 */
export function graphicsByName(env: Environment): Graphics | 'none' | undefined {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '' } = env;
  if (TERM === 'dumb' || env.CI) return 'none';
  // A multiplexer passes no picture of another's protocol on, and garbles what it does not know.
  if (env.TMUX || env.STY || env.ZELLIJ || /^(screen|tmux)/.test(TERM)) return 'none';
  if (env.KITTY_WINDOW_ID || TERM === 'xterm-kitty') return 'kitty';
  if (TERM === 'xterm-ghostty' || TERM_PROGRAM === 'ghostty') return 'kitty';
  if (TERM_PROGRAM === 'WezTerm' || TERM_PROGRAM === 'iTerm.app') return 'iterm2';
  if (LC_TERMINAL === 'iTerm2') return 'iterm2';
  if (TERM.includes('sixel') || TERM_PROGRAM === 'mlterm' || TERM === 'mlterm') return 'sixel';
  if (TERM === 'foot' || TERM.startsWith('foot-')) return 'sixel';
  return undefined;
}
