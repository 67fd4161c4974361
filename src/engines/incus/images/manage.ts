import type { BuildRequest } from '../../descriptor.js';
import type { EngineImage } from '../../engine.js';
import { withCluster } from '../open.js';
import { buildImage } from './build.js';
import { removeImage } from './remove.js';

export function build(stateDirectory: string, request: BuildRequest): Promise<EngineImage> {
  return withCluster(stateDirectory, (cluster) => buildImage(cluster, request));
}

export function remove(stateDirectory: string, name: string, signal: AbortSignal): Promise<void> {
  return withCluster(stateDirectory, (cluster) => removeImage(cluster, name, signal));
}
