import type { Template } from '../../../engine.js';
import type { Shape } from './key.js';

export interface WarmOptions {
  /** Copies the memory for this owner in advance; otherwise the owner's first start does. */
  readonly owner?: string;
  onProgress?(step: string): void;
  readonly signal?: AbortSignal;
}

/** Booted and saved guests from which machines start. */
export interface TemplateSource {
  /** Builds the template of a shape unless it exists. Resolves with its key. */
  warm(shape: Shape, options?: WarmOptions): Promise<string>;
  templates(): Promise<Template[]>;
  /** Machines that started from it are not affected. Idempotent. */
  removeTemplate(key: string): Promise<void>;
}
