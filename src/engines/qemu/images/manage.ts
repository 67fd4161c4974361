import type { EngineImages } from '../../descriptor.js';
import { openQemu } from '../engine.js';
import { buildDisk } from './build-disk.js';
import { importDisk as importInto } from './import.js';
import { asEngineImage } from './installed.js';
import { installDisk, removeImage } from './store.js';

type Images = Required<EngineImages>;

export const build: Images['build'] = async (stateDirectory, request) => {
  const built = await buildDisk(request.name, request);
  return asEngineImage(await installDisk(built, stateDirectory, request.signal));
};

export const importDisk: Images['import'] = async (stateDirectory, request) =>
  asEngineImage(await importInto(stateDirectory, request));

export const remove: Images['remove'] = async (stateDirectory, name, signal) => {
  const engine = openQemu(stateDirectory);
  // The image first: then no new template of it can be started.
  await removeImage(stateDirectory, name, signal);
  for (const { key, image } of await engine.templates()) {
    if (image === name) await engine.removeTemplate(key);
  }
};

export const warm: Images['warm'] = async (stateDirectory, shape, work) => {
  const engine = openQemu(stateDirectory);
  try {
    const before = new Set((await engine.templates()).map(({ key }) => key));
    const key = await engine.warm(shape, work);
    return { key, isNew: !before.has(key) };
  } finally {
    await engine.close();
  }
};
