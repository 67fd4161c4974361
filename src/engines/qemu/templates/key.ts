import { HARDWARE_VERSION } from '../arguments.js';
import type { Acceleration } from '../host.js';
import { hash } from '../ids.js';
import type { InstalledImage } from '../images.js';

/** What two machines must have in common to be started from the same memory. */
export interface Shape {
  /** The image's name. */
  readonly image: string;
  readonly cpu: number;
  /** GiB */
  readonly ram: number;
  readonly resolution: { readonly width: number; readonly height: number };
}

export interface ShapeContext {
  readonly image: Pick<InstalledImage, 'identity'>;
  readonly version: string;
  readonly acceleration: Acceleration;
}

/** A template's name: what was saved can go on only where all of this is the same. */
export function templateKey(shape: Shape, { image, version, acceleration }: ShapeContext): string {
  const { width, height } = shape.resolution;
  const machine = [shape.cpu, shape.ram, width, height].map(String);
  const host = [version, acceleration.kind, HARDWARE_VERSION];
  return hash('template', shape.image, image.identity, ...machine, ...host).slice(0, 24);
}
