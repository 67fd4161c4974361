import type { MachineShape } from '../../../engine.js';
import type { Acceleration } from '../../host.js';
import { hash } from '../../ids.js';
import type { InstalledImage } from '../../images/installed.js';
import { HARDWARE_VERSION } from '../../machine/arguments.js';

/** What machines must have in common to start from the same template. */
export type Shape = MachineShape;

export interface ShapeContext {
  readonly image: Pick<InstalledImage, 'identity'>;
  readonly version: string;
  readonly acceleration: Acceleration;
}

/** A template's key: saved state only resumes where all of this is the same. */
export function templateKey(shape: Shape, { image, version, acceleration }: ShapeContext): string {
  const { width, height } = shape.resolution;
  const machine = [shape.cpu, shape.ram, width, height].map(String);
  const host = [version, acceleration.kind, HARDWARE_VERSION];
  return hash('template', shape.image, image.identity, ...machine, ...host).slice(0, 24);
}
