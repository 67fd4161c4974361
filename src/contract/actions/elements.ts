import { z } from 'zod';
import { ELEMENTS, FRAME_ID, MAX_MARKS, SOURCES } from '../constants.js';
import { atLeastOne, ElementId, integer, oneOfWords, queryNumber, text } from '../primitives.js';

const limit = integer(1, ELEMENTS.max);
const LIMIT = 'Most elements in the answer.';

export const ElementsQuery = z.object({
  limit: queryNumber(limit).default(ELEMENTS.default).describe(LIMIT),
});

const condition = (what: string, example: string) =>
  text(200)
    .refine((value) => value.trim() !== '', 'must not be blank')
    .optional()
    .meta({ description: what, examples: [example] });

const WANTED = {
  text: condition('A part of the name or value, in any case.', 'sign in'),
  role: condition('The role, or words of it: `button` also finds `toggle button`.', 'button'),
  name: condition('The whole name, in any case.', 'Reload'),
};

function hasCondition({ text, role, name }: Partial<Record<keyof typeof WANTED, string>>): boolean {
  return (text ?? role ?? name) !== undefined;
}
const NONE_GIVEN = { message: 'must be given, or role or name', path: ['text'] };

/** Which elements are meant. */
export const WantedElement = z
  .object(WANTED, { error: 'must be an object such as {"role": "button", "name": "OK"}' })
  .refine(hasCondition, NONE_GIVEN);

export const FindElements = z
  .object({
    ...WANTED,
    source: oneOfWords(SOURCES)
      .optional()
      .describe(
        'Where to look: in the `elements`, or for a `text` in the picture (OCR). Without it in the elements, and if none matches a `text` given alone, in the picture.',
      ),
    limit: limit.default(ELEMENTS.default).describe(LIMIT),
  })
  .refine(hasCondition, NONE_GIVEN)
  .refine(
    ({ source, text, role, name }) =>
      source !== 'text' || (text !== undefined && (role ?? name) === undefined),
    { message: 'text needs text, without role and name', path: ['source'] },
  )
  .meta({
    id: 'FindElements',
    ...atLeastOne('text', 'role', 'name'),
    description: 'Conditions, of which at least one is required.',
    examples: [{ role: 'button', text: 'sign in' }],
  });

const pixels = z.number().int();

export const Element = z
  .object({
    id: ElementId.describe(
      'Valid while the element exists; `click` takes it. That of a text is its place.',
    ),
    source: z
      .enum(SOURCES)
      .optional()
      .describe('In answers of `findElements`: `text` was read in the picture of the screen.'),
    role: z.string().meta({
      description: 'What it is, in the words of AT-SPI.',
      examples: ['button'],
    }),
    name: z.string().meta({
      description: 'Its label, at most 200 characters; often empty.',
      examples: ['Reload'],
    }),
    value: z
      .string()
      .optional()
      .meta({
        description: 'The text or number in it, at most 1000 characters; never that of a password.',
        examples: ['example.com'],
      }),
    states: z.array(z.string()).meta({
      description:
        'Such as `focused`, `checked`, `selected`, `expanded`, `editable`, `read-only`, `disabled`.',
      examples: [['focusable']],
    }),
    box: z.tuple([pixels, pixels, pixels, pixels]).meta({
      description: 'The part on the screen, as `[x, y, width, height]` in pixels.',
      examples: [[78, 46, 34, 34]],
    }),
    actions: z.array(z.string()).meta({
      description: 'What the program says can be done with it.',
      examples: [['click']],
    }),
  })
  .meta({ id: 'Element', description: 'Something on the screen, as its program describes it.' });

export const FrameId = z
  .string({ error: 'must be a frame, such as frm_0123456789ab' })
  .regex(FRAME_ID, 'must be a frame, such as frm_0123456789ab')
  .meta({ description: 'A picture with marks.', examples: ['frm_0123456789ab'] });
export const MarkNumber = integer(1, MAX_MARKS).meta({
  description: 'Number of an element in a picture with marks.',
  examples: [7],
});

export const MarkedElement = Element.extend({ mark: MarkNumber }).meta({
  id: 'MarkedElement',
  description: 'An element that can be clicked, with its number in the picture.',
});

export const Elements = z
  .object({
    elements: z.array(Element).describe('In the order of reading.'),
    truncated: z
      .boolean()
      .describe('There are more: than `limit`, or than the programs told in time.'),
  })
  .meta({
    id: 'Elements',
    description: 'Elements on the screen, those of the active window first.',
  });

export type FindElements = z.infer<typeof FindElements>;
export type Element = z.infer<typeof Element>;
export type MarkedElement = z.infer<typeof MarkedElement>;
export type Elements = z.infer<typeof Elements>;
