export * from './resources/audit.js';
export * from './resources/computers.js';
export * from './resources/health.js';
export * from './resources/images.js';
export * from './resources/keys.js';
export * from './resources/projects.js';
