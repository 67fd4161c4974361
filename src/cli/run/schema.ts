import { z } from 'zod';
import { Conditions } from '../../contract/actions/conditions.js';
import { RUN_NAME, TASK_NAME } from '../../contract/constants.js';
import { UsageError } from '../errors/cli-error.js';
import { FileComputer } from '../fleet-file/schema.js';
import { duration } from '../input/duration.js';

const TASK_RULE = 'must have names of 1 to 48 letters, digits, "_" or "-"';
const VARIABLE = /^[A-Za-z_]\w*$/;

const limit = duration({ unit: 's', min: '1s', max: '24h', examples: '30s, 10m or 1h' });

const TimeLimit = z
  .union([z.string(), z.number()], { error: 'must be a duration, such as 10m' })
  .transform((given, { addIssue }) => {
    try {
      return limit(String(given));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      addIssue(error.message);
      return z.NEVER;
    }
  });

const command = z.string({ error: 'must be a command' }).min(1, 'must not be empty');

const Task = z.strictObject(
  {
    ...FileComputer.omit({
      build: true,
      count: true,
      depends_on: true,
      labels: true,
      protected: true,
      auto_stop_minutes: true,
      on_idle: true,
      expires_in: true,
    }).shape,
    from: z
      .string({ error: 'must be the name of a computer' })
      .min(1, 'must not be empty')
      .optional()
      .describe('Computer, or COMPUTER@SNAPSHOT, whose disk to begin with, in place of `image`.'),
    prompt: z
      .string({ error: 'must be a text' })
      .optional()
      .describe('What the agent has to do: its variable VC_PROMPT.'),
    agent: command.describe('Bash command that runs on this machine, beside this file.'),
    check: Conditions.describe('What must hold when the agent has ended, as in `C/wait`.'),
    timeout: TimeLimit.default(600).describe('Most time of the agent, such as `10m`.'),
  },
  { error: 'must be an object of options' },
);

const Defaults = Task.partial();

/** Tasks lack what is in `defaults`. */
export const RunFile = z
  .strictObject(
    {
      name: z
        .string({ error: 'must be a text' })
        .regex(RUN_NAME, 'must be 1 to 63 letters, digits, ".", "_" or "-"')
        .describe('Name of the run: the label `vc.run` of its computers.'),
      secrets: z
        .array(z.string().regex(VARIABLE, 'must be the name of a variable'), {
          error: 'must be a list of names',
        })
        .default([])
        .describe('Variables of the environment whose values are masked in logs and results.'),
      defaults: Defaults.optional().describe('Options of all tasks that do not have their own.'),
      tasks: z
        .record(z.string().regex(TASK_NAME), Defaults, {
          error: ({ code }) => (code === 'invalid_key' ? TASK_RULE : 'must be an object by name'),
        })
        .describe('Tasks by name.'),
    },
    { error: 'must be an object with "name" and "tasks"' },
  )
  .describe('Tasks for vc run.');

export const CompleteTask = Task.refine(
  ({ setup, setup_file: file }) => setup === undefined || file === undefined,
  { message: 'cannot be combined with setup', path: ['setup_file'] },
).refine(({ image, from }) => image === undefined || from === undefined, {
  message: 'cannot be combined with image',
  path: ['from'],
});

export type CompleteTask = z.output<typeof CompleteTask>;

export const KEYS = {
  file: Object.keys(RunFile.shape),
  task: Object.keys(Task.shape),
} as const;

/** The JSON schema of the file, for editors. */
export function runSchema(): unknown {
  return z.toJSONSchema(RunFile, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema, path: at }) => {
      if (at.length === 0) jsonSchema.patternProperties = { '^x-': {} };
    },
  });
}
