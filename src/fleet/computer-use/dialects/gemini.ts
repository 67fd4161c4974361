import { z } from 'zod';
import { isRecord, JsonObject } from '../../../contract/primitives.js';
import type { Dialect, Item, Outcome, UseCall } from '../actions.js';
import { members } from './gemini-members.js';
import { actionsOf, CallId, readAs } from './reading.js';

/** Coordinates are thousandths of the screen, 0 to 999. */
const UNITS = { last: 999, whole: 1000 } as const;
/** Results have to name the page, which a desktop has not. */
const URL = 'about:blank';

/** Functions for a browser without an address bar, which a desktop is not. */
const EXCLUDED = ['open_web_browser', 'navigate', 'search'];

const name = z.string().max(128);
const Step = z.object({
  type: z.literal('function_call'),
  id: CallId,
  name,
  arguments: JsonObject,
});
const Part = z.object({
  functionCall: z.object({ id: CallId.nullish(), name, args: JsonObject.nullish() }),
});
const Bare = z.object({ id: CallId.nullish(), name, args: JsonObject });
const Decision = z.object({
  decision: z.literal('require_confirmation'),
  explanation: z.string().max(10_000).nullish(),
});

/** A call in either of the envelopes. */
interface Envelope {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  answer(outcome: Outcome, isConfirmed: boolean): Item;
}

function envelopeOf(item: unknown): Envelope | undefined {
  const step = readAs(Step, item);
  if (step !== undefined) {
    const { id, name, arguments: args } = step;
    const answer = (outcome: Outcome, isConfirmed: boolean) => ({
      type: 'function_result',
      call_id: id,
      name,
      result: [
        ...(outcome.picture
          ? [{ type: 'image', data: outcome.picture.data, mime_type: outcome.picture.mediaType }]
          : []),
        { type: 'text', text: JSON.stringify(responseOf(outcome, isConfirmed)) },
      ],
      ...(outcome.state === 'done' ? {} : { is_error: true }),
    });
    return { id, name, args, answer };
  }
  const call = readAs(Part, item)?.functionCall ?? readAs(Bare, item);
  if (call === undefined) return undefined;
  const { id, name, args } = call;
  const answer = (outcome: Outcome, isConfirmed: boolean) => ({
    functionResponse: {
      ...(id ? { id } : {}),
      name,
      response: responseOf(outcome, isConfirmed),
      ...(outcome.picture
        ? {
            parts: [
              { inlineData: { mimeType: outcome.picture.mediaType, data: outcome.picture.data } },
            ],
          }
        : {}),
    },
  });
  return { id: id ?? undefined, name, args: args ?? {}, answer };
}

function responseOf({ state, text, notice }: Outcome, isConfirmed: boolean): Item {
  const why = state === 'skipped' ? 'Not executed: an earlier call in this turn failed.' : text;
  return {
    url: URL,
    ...(state === 'done' ? {} : { error: why }),
    ...(notice === undefined ? {} : { notice }),
    ...(isConfirmed ? { safety_acknowledgement: 'true' } : {}),
  };
}

function read(item: unknown): UseCall | undefined {
  const envelope = envelopeOf(item);
  if (envelope === undefined) return undefined;
  const { id, name, args, answer } = envelope;
  const decision = readAs(Decision, args.safety_decision);
  const checks = decision ? [{ id: id ?? name, message: decision.explanation ?? undefined }] : [];
  return {
    id,
    actions: actionsOf(members, name, args),
    units: UNITS,
    checks,
    showsScreen: true,
    answer: (outcome) => [answer(outcome, checks.length > 0)],
  };
}

const shared = {
  limits: { edge: 3072, patches: 20_000, characters: 15_000_000 },
  recognises: (item: unknown) => (readAs(Step, item) ?? readAs(Part, item)) !== undefined,
  isOther: (item: unknown) =>
    isRecord(item) &&
    (['thought', 'model_output', 'text'].includes(String(item.type)) ||
      (item.type === undefined && typeof item.text === 'string')),
  read,
};

export const geminiDialects = {
  gemini: {
    ...shared,
    tools: () => [
      {
        type: 'computer_use',
        environment: 'desktop',
        excluded_predefined_functions: EXCLUDED,
      },
    ],
  },
  'gemini-generate-content': {
    ...shared,
    tools: () => [
      {
        computerUse: {
          environment: 'ENVIRONMENT_DESKTOP',
          excludedPredefinedFunctions: EXCLUDED,
        },
      },
    ],
  },
} satisfies Record<string, Dialect>;
