import type { Engine } from '../../engines/engine.js';
import type { TemplateInfo } from '../../engines/qemu/index.js';
import type { Context } from '../context.js';
import { localEngine, localQemu } from '../local-engines.js';
import { here, type Stored } from './stored.js';

/** A line of `vc image ls`. */
export interface Listed extends Stored {
  /** Built from a recipe, somebody's own disk, or an image kept booted. */
  readonly kind: 'image' | 'disk' | 'template';
  /** `stale`: what it was made from has changed; it can be used, or for a template no more. */
  readonly state: 'ready' | 'stale';
  readonly template?: TemplateInfo;
}

/** Every image and template of this machine, and which engines could not be asked. */
export async function listStored(
  context: Context,
): Promise<{ listed: Listed[]; away: readonly string[] }> {
  const { signal } = context.interrupts;
  const away: string[] = [];
  const ask = async <T>(name: string, work: () => Promise<T[]>): Promise<T[]> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      away.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  };
  const docker = await localEngine('docker', here(context));
  const qemu = await localQemu(here(context));
  const listed = await Promise.all([
    ask('docker', () => images(docker, signal)),
    ask('qemu', () => images(qemu, signal)),
    ask('qemu', async () => (await qemu.templates()).map(asListed)),
  ]);
  return { listed: listed.flat(), away };
}

async function images(engine: Engine, signal: AbortSignal): Promise<Listed[]> {
  const { currentRecipeHash } = await import('./recipes.js');
  const found = await engine.images(signal);
  return Promise.all(
    found.map(async (image): Promise<Listed> => {
      const { name, recipeHash } = image;
      const common = { ...image, engine: engine.name };
      if (recipeHash === undefined) return { ...common, kind: 'disk', state: 'ready' };
      const isCurrent = recipeHash === (await currentRecipeHash(name, engine.name));
      return { ...common, kind: 'image', state: isCurrent ? 'ready' : 'stale' };
    }),
  );
}

function asListed(template: TemplateInfo): Listed {
  const { image, os, bytes, createdAt, stale } = template;
  return {
    ...{ name: image, os, bytes, createdAt, template },
    ...{ engine: 'qemu', kind: 'template', state: stale ? 'stale' : 'ready' },
  };
}

/** `linux (2 cores, 2 GB, 1280x800)`: templates of one image differ by their shape. */
export function shownName({ name, template }: Listed): string {
  if (template === undefined) return name;
  const { cpu, ram, resolution } = template;
  return `${name} (${cpu} cores, ${ram} GB, ${resolution.width}x${resolution.height})`;
}
