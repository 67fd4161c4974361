import { z } from 'zod';
import { DIALECTS, MAX_TURN_TEXT } from '../constants.js';
import { flag, integer, JsonObject, oneOfWords, upTo } from '../primitives.js';
import { AllowedSecrets } from '../resources/secrets.js';
import { ImageFormat } from './screen.js';

/** Calls of one request at most. */
const MAX_ITEMS = 50;

const Dialect = oneOfWords(DIALECTS);

const Item = z
  .union([JsonObject, upTo(MAX_TURN_TEXT)], {
    error: 'must be an object or a text',
  })
  .meta({ description: 'An item as the model or for the model, in the shape of its vendor.' });

export const ComputerUse = z
  .object({
    items: z
      .array(Item, { error: 'must be a list of items' })
      .min(1, 'must have at least one item')
      .max(MAX_ITEMS, `must have at most ${MAX_ITEMS} items`)
      .meta({
        description: `The calls of one turn as the model wrote them, in order. Texts and reasoning between them are ignored. Calls that are texts have at most ${MAX_TURN_TEXT.toLocaleString('en')} characters in all.`,
        examples: [
          [
            {
              type: 'tool_use',
              id: 'toolu_1',
              name: 'left_click',
              toolset_name: 'computer',
              input: { coordinate: [640, 400] },
            },
          ],
        ],
      }),
    dialect: Dialect.optional().describe(
      'The shape of the items. Without it recognized by their envelope; required for actions without one.',
    ),
    acknowledge: z
      .array(z.string({ error: 'must be the id of a safety check' }).max(256), {
        error: 'must be a list of ids',
      })
      .max(100, 'must have at most 100 ids')
      .default([])
      .meta({
        description:
          'Ids of safety checks, from `confirm` of an answer, that a person has confirmed.',
        examples: [['sc_1']],
      }),
    run: upTo(128)
      .optional()
      .meta({
        description:
          'Name of the run of the agent. Within 10 minutes, a call whose id was answered in the same run has the same result again and is not carried out.',
        examples: ['run-2026-11-23'],
      }),
    secrets: AllowedSecrets.optional(),
    format: ImageFormat.default('png').describe('Format of the pictures.'),
    quality: integer(1, 100)
      .default(80)
      .describe('Quality of `jpeg` and `webp`; `png` is lossless.'),
    max_edge: integer(64, 3840)
      .optional()
      .meta({
        description:
          'Pixels of the longer edge of a picture at most, 1280 without it; never more than the vendor accepts.',
        examples: [1280],
      }),
    settle: flag()
      .default(true)
      .describe('Waits before a picture until the screen is stable, at most 2 s.'),
  })
  .meta({ id: 'ComputerUse', description: 'The calls of a model.' });

const Size = {
  width: z
    .number()
    .int()
    .meta({ description: 'Pixels.', examples: [1280] }),
  height: z
    .number()
    .int()
    .meta({ description: 'Pixels.', examples: [800] }),
};

export const ComputerUseResult = z
  .object({
    success: z.boolean().describe('True if every call was carried out.'),
    results: z
      .array(Item)
      .describe('The result items for the model, to be appended to its input unchanged.'),
    frames: z
      .array(
        z
          .object({
            id: z
              .string()
              .meta({ description: 'Id of the picture.', examples: ['frm_x7Qb3kPz0aL2'] }),
            ...Size,
            screen: z.object(Size).describe("The screen's size."),
            whole: z.boolean().describe('False for a picture of a part of the screen.'),
          })
          .describe('A picture.'),
      )
      .describe('The pictures among the results. Coordinates belong to the last that is whole.'),
    replayed: z
      .literal(true)
      .optional()
      .describe(
        'A call of the same id was answered in the last 10 minutes: `results` repeat that answer, and the call was not carried out again.',
      ),
    control_notice: z
      .string()
      .optional()
      .meta({
        description:
          'Another has had control since the last picture of this key: a sentence for the model. It is also in `results` where their shape has a text.',
        examples: [
          'A person had control of this computer until 2026-11-23T12:00:00.000Z and may have changed the screen.',
        ],
      }),
    confirm: z
      .array(
        z
          .object({
            call_id: z.string().meta({ description: 'Id of the call.', examples: ['call_1'] }),
            id: z.string().meta({ description: 'Id of the check.', examples: ['sc_1'] }),
            code: z
              .string()
              .optional()
              .meta({ description: "The vendor's code.", examples: ['malicious_instructions'] }),
            message: z
              .string()
              .optional()
              .meta({
                description: 'What to confirm.',
                examples: ['The page asks for a payment.'],
              }),
          })
          .describe('A safety check of the vendor.'),
      )
      .describe(
        'Safety checks that a person has to confirm. The call and those after it were not carried out: send the same items again with `acknowledge`.',
      ),
  })
  .meta({ id: 'ComputerUseResult', description: 'The results for the model.' });

export const ComputerUseQuery = z.object({
  dialect: Dialect.describe('Whose declaration.').meta({ examples: ['anthropic'] }),
});

export const ComputerUseTools = z
  .object({
    tools: z.array(Item).describe('The tools to declare to the model.'),
  })
  .meta({ id: 'ComputerUseTools', description: 'Tool declarations.' });

export type ComputerUse = z.output<typeof ComputerUse>;
export type ComputerUseResult = z.output<typeof ComputerUseResult>;
