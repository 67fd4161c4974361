import type { EngineImage } from '../../engines/engine.js';
import {
  type ImportOptions,
  type InstalledImage,
  importDisk,
  installDisk,
  removeImage,
} from '../../images/store/index.js';
import type { Here } from '../local-engines.js';

interface Options {
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

/** A disk of somebody's own, to become an image. */
export type NewDisk = Pick<ImportOptions, 'name' | 'file' | 'os' | 'firmware' | 'shell'>;

/** The images of the engine qemu on this machine, whether its service runs or not. */
export function qemuStore({ stateDirectory }: Here) {
  return {
    build: async (name: string, options: Options): Promise<EngineImage> => {
      const { buildDisk } = await import('../../images/index.js');
      const built = await buildDisk(name, options);
      return asEngineImage(await installDisk(built, { stateDirectory, signal: options.signal }));
    },
    import: async (disk: NewDisk, options: Options): Promise<EngineImage> =>
      asEngineImage(await importDisk({ ...disk, ...options, stateDirectory })),
    remove: (name: string, signal: AbortSignal): Promise<void> =>
      removeImage(stateDirectory, name, signal),
  };
}

function asEngineImage({ name, os, recipeHash, bytes, createdAt }: InstalledImage): EngineImage {
  const common = { name, os, bytes, createdAt: new Date(createdAt) };
  return recipeHash === undefined ? common : { ...common, recipeHash };
}
