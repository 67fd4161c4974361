export { Success } from '../primitives.js';
export * from './commands.js';
export * from './input.js';
export * from './screen.js';
