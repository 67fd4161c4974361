export { Success } from '../primitives.js';
export * from './clipboard.js';
export * from './commands.js';
export * from './conditions.js';
export * from './elements.js';
export * from './input.js';
export * from './screen.js';
