export { createQemuEngine, type QemuEngineOptions } from './engine.js';
export type { Rehearsal } from './spares/index.js';
export type { Shape, TemplateInfo, TemplateSource, WarmOptions } from './templates/index.js';
