export { type ImportOptions, importDisk } from './import.js';
export { type InstallOptions, installDisk } from './install.js';
export { findImage, imagesDirectory, listImages, removeImage } from './store.js';
export type { ImageRecord, InstalledImage } from './types.js';
