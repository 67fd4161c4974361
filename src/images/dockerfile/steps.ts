import type { Place } from './errors.js';
import type { Mount } from './mounts.js';
import type { Note } from './stages.js';

/** What an image passes to its computers and to images that are built from it. JSON. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>;
  /** `NAME[:GROUP]` or ids; empty for root. Of RUN only: the desktop has its own user. */
  readonly user: string;
  readonly workdir: string;
  readonly shell: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/** That of an image which no Dockerfile made: the search path is in images/linux. */
export const BASE_CONFIG: ImageConfig = {
  env: {
    PATH: '/home/user/.local/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  },
  user: '',
  workdir: '/',
  shell: ['/bin/sh', '-c'],
  labels: {},
  entrypoint: [],
  command: [],
};

/** An image of the service or of the owner. */
export interface BaseImage {
  readonly name: string;
  /** Changes when it is built again. */
  readonly id: string;
  readonly config: ImageConfig;
}

/** Every part of it is part of a step's key in the cache: JSON, and neither places nor secrets. */
export type Action =
  | {
      readonly kind: 'run';
      readonly argv: readonly string[];
      /** The standard input. */
      readonly input: string;
      readonly env: Readonly<Record<string, string>>;
      readonly user: string;
      readonly workdir: string;
      readonly mounts: readonly Mount[];
    }
  | {
      readonly kind: 'copy';
      /** Paths or patterns in the context, the stage or the image. */
      readonly sources: readonly string[];
      readonly files: readonly { readonly name: string; readonly content: string }[];
      /** Absolute; ends with a slash if it must be a directory. */
      readonly to: string;
      /** As in USER; undefined: root, or as in the stage. */
      readonly owner: string | undefined;
      readonly mode: number | undefined;
      /** ADD: archives are unpacked. */
      readonly unpacks: boolean;
    }
  | { readonly kind: 'workdir'; readonly path: string; readonly user: string }
  | {
      /** Writes what computers of the image need of its configuration. */
      readonly kind: 'configure';
      /** Variables that the base does not have. */
      readonly env: Readonly<Record<string, string>>;
      /** What starts with the desktop, in `workdir`; empty: nothing. */
      readonly program: readonly string[];
      readonly workdir: string;
    };

export interface Step extends Place {
  /** The instruction as it is written, so without values of variables. */
  readonly text: string;
  readonly action: Action;
  /** What COPY --from reads; undefined: the context. */
  readonly from?: StagePlan | BaseImage;
}

export interface StagePlan extends Place {
  readonly name: string;
  readonly text: string;
  readonly base: StagePlan | BaseImage;
  readonly steps: readonly Step[];
  readonly config: ImageConfig;
}

export interface Plan {
  /** Those that the target needs, each after those that it needs. The last is the target. */
  readonly stages: readonly StagePlan[];
  readonly target: StagePlan;
  readonly notes: readonly Note[];
}

export function isStage(source: StagePlan | BaseImage): source is StagePlan {
  return 'steps' in source;
}
