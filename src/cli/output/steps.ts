import type { Context } from '../framework/context.js';
import { note } from './print.js';

/** Progress of work that takes minutes. */
export interface Steps {
  step(line: string): void;
  /** Ends the display and returns the elapsed seconds. */
  stop(): number;
}

/** Shows the current step and the elapsed time: a spinner on a terminal, else lines. */
export function showSteps(context: Context, title: string): Steps {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const isLive = context.io.stderr.isTTY === true && !context.env.CI;
  const progress = context.progress(title);
  let current = '';
  const show = () => progress.update(`${title} (${seconds()} s) ${current.slice(0, 60)}`);
  const timer = isLive ? setInterval(show, 1000) : undefined;
  if (!isLive) void note(context, `${title}…`);
  return {
    step: (line) => {
      current = line;
      if (isLive) show();
      else void note(context, `  ${String(seconds()).padStart(4)} s  ${line}`);
    },
    stop: () => {
      clearInterval(timer);
      progress.stop();
      return seconds();
    },
  };
}
