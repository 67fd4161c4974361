import type { Recipe } from '../../../images/recipe.js';
import { TAR_END, tarEntry } from '../../tar.js';
import { PROPERTY } from '../ids.js';
import { INIT_SCRIPT } from './init-script.js';

/** Debian's name of this machine's architecture is that of LXD, but for the most common one. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** The first part of an image: an archive with `metadata.yaml`. */
export function metadataArchive(recipe: Pick<Recipe, 'name' | 'os'>, hash: string): Buffer {
  const properties = {
    description: `vc ${recipe.name}`,
    os: 'Debian',
    [PROPERTY.name]: recipe.name,
    [PROPERTY.recipe]: hash,
    [PROPERTY.os]: recipe.os,
  };
  const metadata = {
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    creation_date: Math.floor(Date.now() / 1000),
    properties,
    templates: {},
  };
  // JSON is YAML.
  const text = Buffer.from(`${JSON.stringify(metadata)}\n`);
  return Buffer.concat([tarEntry('metadata.yaml', 0o644, 0, text), TAR_END]);
}

/** What is put before a root file system's archive: the first process of its containers. */
export function initEntry(): Buffer {
  return tarEntry('./usr/sbin/init', 0o755, 0, Buffer.from(INIT_SCRIPT));
}
