import { z } from 'zod';
import { MAX_LABELS } from '../../contract/constants.js';
import { integer, ProjectName } from '../../contract/primitives.js';
import { CreateComputer } from '../../contract/resources/computer-requests.js';
import { Labels } from '../../contract/resources/labels.js';
import { SecretName } from '../../contract/resources/secrets.js';
import { NewFiles } from '../../contract/resources/setup.js';
import { CreateVolume, VolumeName } from '../../contract/resources/volumes.js';
import { LABEL_PREFIX, OWN_LABELS } from './own-labels.js';

/** Leaves room for `-100` in the value of a label. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,57}$/;
const NAME_RULE =
  'must have names of 1 to 58 letters, digits, ".", "_" or "-" that begin with a letter or digit';

const path = z.string({ error: 'must be a path' }).min(1, 'must not be empty');
const BUILD = 'must be a directory, or an object with "context"';

const Build = z
  .union([
    path,
    z.strictObject(
      {
        context: path.describe('Directory, relative to this file.'),
        dockerfile: path.optional().describe('Its Dockerfile, relative to `context`.'),
        args: z
          .record(z.string(), z.string({ error: 'must be a text' }), {
            error: 'must be an object of texts',
          })
          .optional()
          .describe('Values of `ARG`.'),
        target: z.string().min(1, 'must not be empty').optional().describe('Stage to build.'),
      },
      { error: BUILD },
    ),
  ])
  .describe(
    'A directory with a Dockerfile. Its image is called PROJECT-COMPUTER, unless `image` is given.',
  );

const NewFile = NewFiles.unwrap();
const LocalFile = z
  .string()
  .regex(/^[^:]+:./, 'must be LOCAL:REMOTE, or an object with "path" and "content"')
  .describe('`LOCAL:REMOTE`; LOCAL is relative to this file.');

const OwnLabels = Labels.refine(
  (labels) => !Object.keys(labels).some((name) => name.startsWith(LABEL_PREFIX)),
  `must have no names that begin with "${LABEL_PREFIX}", which vc up sets`,
).refine(
  (labels) => Object.keys(labels).length <= MAX_LABELS - OWN_LABELS,
  `must have at most ${MAX_LABELS - OWN_LABELS} labels: vc up sets up to ${OWN_LABELS} more`,
);

export const FileComputer = z.strictObject(
  {
    ...CreateComputer.omit({ name: true }).shape,
    labels: OwnLabels.default({}),
    files: z
      .array(z.union([LocalFile, NewFile]), { error: 'must be a list' })
      .optional()
      .describe('Files to copy: `LOCAL:REMOTE`, or `{path, content, mode}`.'),
    env_file: z
      .union([path.transform((one) => [one]), z.array(path)], {
        error: 'must be a path, or a list of paths',
      })
      .optional()
      .describe('Files with lines NAME=VALUE, relative to this file; `env` comes first.'),
    setup_file: path
      .optional()
      .describe('File with the script, relative to this file, in place of `setup`.'),
    build: Build.optional(),
    count: integer(1, 100)
      .optional()
      .describe('Makes NAME-1 to NAME-count in place of one computer NAME.'),
    depends_on: z
      .array(z.string({ error: 'must be the name of a computer' }), {
        error: 'must be a list of names',
      })
      .default([])
      .describe('Computers of this file that have to be ready first.'),
  },
  { error: 'must be an object of options' },
);

const FileVolume = z.strictObject(CreateVolume.pick({ engine: true }).shape, {
  error: 'must be an object of options',
});

export const FleetFile = z
  .strictObject(
    {
      name: ProjectName.describe('The project of the computers, which is created if missing.'),
      secrets: z
        .array(SecretName, { error: 'must be a list of names' })
        .default([])
        .describe('Secrets of the project that have to exist; see: vc secret set.'),
      volumes: z
        .record(VolumeName, FileVolume, {
          error: ({ code }) =>
            code === 'invalid_key' ? 'must have names of volumes' : 'must be an object by name',
        })
        .default({})
        .describe('Volumes of the computers, which are created if missing and never removed.'),
      computers: z
        .record(z.string().regex(NAME), FileComputer, {
          error: ({ code }) => (code === 'invalid_key' ? NAME_RULE : 'must be an object by name'),
        })
        .describe('Computers by name.'),
    },
    { error: 'must be an object with "name" and "computers"' },
  )
  .describe('A fleet of computers for vc up.');

export type FleetFile = z.output<typeof FleetFile>;
export type FileComputer = z.output<typeof FileComputer>;

/** Keys by the kind of object, to suggest the nearest for a typo. */
export const KEYS = {
  file: Object.keys(FleetFile.shape),
  computer: Object.keys(FileComputer.shape),
  volume: Object.keys(FileVolume.shape),
  build: ['context', 'dockerfile', 'args', 'target'],
} as const;

/** The JSON schema of the file, for editors. */
export function fleetSchema(): unknown {
  return z.toJSONSchema(FleetFile, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema, path: at }) => {
      const isExtensible =
        at.length === 0 || at.join('/') === 'properties/computers/additionalProperties';
      if (isExtensible) jsonSchema.patternProperties = { '^x-': {} };
    },
  });
}
