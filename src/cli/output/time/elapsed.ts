import type { Context } from '../../framework/context.js';
import type { Progress } from '../progress.js';

/** A spinner whose text is made again every second with the elapsed time, such as `1:05`. */
export function elapsedProgress(
  context: Pick<Context, 'progress'>,
  textAt: (elapsed: string) => string,
): Pick<Progress, 'stop'> {
  const began = performance.now();
  const text = () => textAt(clock((performance.now() - began) / 1000));
  const progress = context.progress(text());
  const timer = setInterval(() => progress.update(text()), 1000);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      progress.stop();
    },
  };
}

/** Seconds as `0:07`, `12:30` or `1:02:03`. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? part : String(part).padStart(2, '0'))).join(':');
}
