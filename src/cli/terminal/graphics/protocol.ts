import type { Environment } from '../../../profile/index.js';
import type { TextColors } from './half-blocks.js';

/** Protocols for inline images. */
export type Graphics = 'kitty' | 'iterm2' | 'sixel';

/** The colours of a terminal; undefined if it has none. */
export function textColors({ TERM, COLORTERM = '' }: Environment): TextColors | undefined {
  if (TERM === 'dumb') return undefined;
  return /^(truecolor|24bit)$/i.test(COLORTERM) || TERM?.endsWith('-direct') ? '24-bit' : '256';
}

/**
 * The protocol by environment variables; undefined if they do not tell, `none` if a multiplexer or
 * CI would garble images.
 *
 * Sources: kitty graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol), iTerm2 inline
 * images (iterm2.com/documentation-images.html).
 */
export function graphicsByName(env: Environment): Graphics | 'none' | undefined {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '' } = env;
  if (TERM === 'dumb' || env.CI) return 'none';
  // Multiplexers garble inline images.
  if (env.TMUX || env.STY || env.ZELLIJ || /^(screen|tmux)/.test(TERM)) return 'none';
  if (env.KITTY_WINDOW_ID || TERM === 'xterm-kitty') return 'kitty';
  if (TERM === 'xterm-ghostty' || TERM_PROGRAM === 'ghostty') return 'kitty';
  if (TERM_PROGRAM === 'WezTerm' || TERM_PROGRAM === 'iTerm.app') return 'iterm2';
  if (LC_TERMINAL === 'iTerm2') return 'iterm2';
  if (TERM.includes('sixel') || TERM_PROGRAM === 'mlterm' || TERM === 'mlterm') return 'sixel';
  if (TERM === 'foot' || TERM.startsWith('foot-')) return 'sixel';
  return undefined;
}
