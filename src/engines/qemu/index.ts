export { createQemuEngine, type QemuEngineOptions } from './engine.js';
export type { Shape, TemplateInfo, TemplateSource, WarmOptions } from './templates/index.js';
