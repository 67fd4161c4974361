import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';

const dark = matchMedia('(prefers-color-scheme: dark)');

const DARK = {
  background: '#0b0e14',
    foreground: '#e6ebf3',
    cursor: '#7fabff',
    selectionBackground: '#2a4676',
};
const LIGHT = {
  background: '#ffffff',
    foreground: '#151b26',
    cursor: '#1b5bd0',
    selectionBackground: '#b9d2ff',
  green: '#0d7344', yellow: '#8a5200', blue: '#1b5bd0', cyan: '#0b6b7a', white: '#586478',
  brightGreen: '#0d7344',
    brightYellow: '#8a5200',
    brightBlue: '#1b5bd0',
    brightWhite: '#151b26',
};

/** A terminal that fills the element and follows the colours of the system. */
export function openTerminal(element: HTMLElement): Terminal {
  const terminal = new Terminal({
    fontFamily: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace',
    fontSize: Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
    scrollback: 10_000,
    screenReaderMode: true,
    theme: dark.matches ? DARK : LIGHT,
    // Text on any background of a program stays readable.
    minimumContrastRatio: 4.5,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(element);
  fit.fit();
  new ResizeObserver(() => fit.fit()).observe(element);
  dark.addEventListener('change', () => {
    terminal.options.theme = dark.matches ? DARK : LIGHT;
  });
  return terminal;
}
