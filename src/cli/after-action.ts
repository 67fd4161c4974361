import { flag, value } from './define.js';
import { number } from './parse.js';

/** Options of actions with mouse or keyboard: what their coordinates mean, and when they end. */
export const settleOption = flag('--settle', 'end when the screen has come to rest, at most 2 s');
export const scaleOption = value(
  '--scale <factor>',
  'coordinates are those of a screenshot of this scale',
  number({ min: 0.05, max: 1, unit: 'factor', step: 'any' }),
);
