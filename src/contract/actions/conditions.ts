import { z } from 'zod';
import { exactlyOne, flag, integer, isRecord, text } from '../primitives.js';
import { Element, WantedElement } from './elements.js';

/** Most conditions of `any` or `all`. */
const MAX_CONDITIONS = 16;

const notBlank = (max: number) =>
  text(max).refine((value) => value.trim() !== '', 'must not be blank');

const conditionFields = {
  element: WantedElement.optional().meta({
    description: 'An element on the screen matches, as `findElements` finds it.',
    examples: [{ role: 'button', name: 'OK' }],
  }),
  text: notBlank(200)
    .optional()
    .meta({
      description:
        'This text can be read on the screen, in any case and with any spaces. It is plain text, no pattern.',
      examples: ['Saved'],
    }),
  region: z
    .tuple([integer(0, 10_000), integer(0, 10_000), integer(1, 10_000), integer(1, 10_000)], {
      error: 'must be [x, y, width, height]',
    })
    .optional()
    .meta({
      description: 'With `text`: the part of the screen to read, in pixels.',
      examples: [[0, 0, 640, 400]],
    }),
  window: notBlank(200)
    .optional()
    .meta({
      description: 'A window is open whose title contains this, in any case.',
      examples: ['Mousepad'],
    }),
  file: notBlank(4096)
    .optional()
    .meta({
      description: 'A file or directory of this path exists; relative to the home directory.',
      examples: ['Downloads/report.pdf'],
    }),
  size_above: integer(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'With `file`: and has more bytes than this.', examples: [0] }),
  port: integer(1, 65_535)
    .optional()
    .meta({ description: 'A program listens on this TCP port.', examples: [8000] }),
  command: notBlank(10_000)
    .optional()
    .meta({
      description:
        'This bash command ends with exit code 0. It runs again and again, at most once a second, for at most 10 s each time.',
      examples: ['test -s report.pdf'],
    }),
  url: notBlank(2000)
    .optional()
    .meta({
      description: 'A page of the browser of `openBrowser` has an address that contains this.',
      examples: ['/welcome'],
    }),
  gone: flag()
    .optional()
    .describe('Waits until the condition does not hold, for example until a window is closed.'),
};

/** What a condition is about; each condition has one of them. */
const SUBJECTS = ['element', 'text', 'window', 'file', 'port', 'command', 'url'] as const;
const ONE_SUBJECT = `must have exactly one of ${SUBJECTS.join(', ')}`;

function subjects(condition: Readonly<Record<string, unknown>>): number {
  return SUBJECTS.filter((name) => condition[name] !== undefined).length;
}

const SIZE_NEEDS_FILE = { message: 'needs file', path: ['size_above'] };
const REGION_NEEDS_TEXT = { message: 'needs text', path: ['region'] };

const FORM = 'must be a condition, such as {"port": 8000}';

export const Condition = z
  .object(conditionFields, { error: FORM })
  .refine((condition) => subjects(condition) === 1, ONE_SUBJECT)
  .refine(({ file, size_above }) => size_above === undefined || file !== undefined, SIZE_NEEDS_FILE)
  .refine(({ text, region }) => region === undefined || text !== undefined, REGION_NEEDS_TEXT)
  .meta({
    id: 'Condition',
    ...exactlyOne(...SUBJECTS),
    description: `A state of the computer: exactly one of ${SUBJECTS.map((name) => `\`${name}\``).join(', ')}.`,
    examples: [{ port: 8000 }],
  });

const list = z
  .array(Condition, { error: 'must be a list of conditions' })
  .min(1, 'must have at least one condition')
  .max(MAX_CONDITIONS, `must have at most ${MAX_CONDITIONS} conditions`)
  .optional();

/** A condition, or a list of which one or all must hold at the same time. */
export const Conditions = z
  .object(
    {
      ...conditionFields,
      any: list.describe('One of these conditions holds.'),
      all: list.describe('All of these conditions hold at the same time.'),
    },
    { error: FORM },
  )
  .refine(
    ({ any, all, ...condition }) =>
      [any, all].filter((each) => each !== undefined).length + subjects(condition) === 1,
    `${ONE_SUBJECT}, any, all`,
  )
  .refine(({ file, size_above }) => size_above === undefined || file !== undefined, SIZE_NEEDS_FILE)
  .refine(({ text, region }) => region === undefined || text !== undefined, REGION_NEEDS_TEXT)
  .refine(({ any, all, gone }) => gone === undefined || (any ?? all) === undefined, {
    message: 'belongs to the conditions of the list',
    path: ['gone'],
  })
  .meta({
    id: 'Conditions',
    ...exactlyOne(...SUBJECTS, 'any', 'all'),
    description: 'One condition, or with `any` or `all` several.',
    examples: [{ any: [{ window: 'Saved' }, { window: 'Error' }] }],
  });

/** Whether `wait` runs a command for it. */
export function runsCommand(until: unknown): boolean {
  if (!isRecord(until)) return false;
  const listed = [until.any, until.all].flat();
  return [until, ...listed].some((each) => isRecord(each) && each.command !== undefined);
}

/** What `wait` waits for. */
export const Until = z.union([z.enum(['stable', 'change']), Conditions], {
  error: ({ input, ...issue }) =>
    isRecord(input)
      ? `is wrong: ${firstProblem(issue as z.core.$ZodIssueInvalidUnion)}`
      : 'must be "stable", "change" or a condition, such as {"port": 8000}',
});

/** What is wrong with a condition, of the two alternatives of {@link Until}. */
function firstProblem({ errors }: z.core.$ZodIssueInvalidUnion): string {
  const [{ path, message } = { path: [], message: FORM }] = errors.at(-1) ?? [];
  return `${path.map(String).join('.')} ${message}`.trim();
}

export const MetCondition = z
  .object({
    condition: Condition,
    seen: z.string().meta({
      description: 'What was seen, for people: the title of the window, the size of the file.',
      examples: ['Mousepad'],
    }),
    element: Element.optional().describe(
      'With `element` or `text`: the first that matches; not with `gone`.',
    ),
  })
  .meta({ id: 'MetCondition', description: 'A condition that held.' });

export type Condition = z.infer<typeof Condition>;
export type Conditions = z.infer<typeof Conditions>;
export type MetCondition = z.infer<typeof MetCondition>;
