import { z } from 'zod';
import { isRecord, JsonObject } from '../../../contract/primitives.js';
import type { Dialect, Facts, Item, Outcome, UseCall } from '../actions.js';
import { first, second, third, tools } from './anthropic-members.js';
import { actionsOf, CallId, type Members, readAs } from './reading.js';

/** Of the toolset, when an earlier call of the turn failed. */
const SKIPPED = 'Not executed: an earlier computer action in this turn failed.';
/** Output of a command or file that a result has at most. */
const MOST_OUTPUT = 60_000;

const ToolUse = z.object({
  type: z.literal('tool_use'),
  id: CallId,
  name: z.string().max(128),
  toolset_name: z.literal('computer').nullish(),
  input: JsonObject,
});

/** The versions of the tool, with what each added. */
const versions = {
  anthropic: third,
  'anthropic-20251124': third,
  'anthropic-20250124': second,
  'anthropic-20241022': first,
} as const;

export type AnthropicName = keyof typeof versions;

/** The older tools are one tool with the action in its input. */
function anthropic(name: AnthropicName): Dialect {
  const isToolset = name === 'anthropic';
  const members: Members = versions[name];
  return {
    limits: { edge: 2576, patches: 4784, characters: 5_000_000 },
    recognises: (item) =>
      isRecord(item) &&
      item.type === 'tool_use' &&
      (isToolset
        ? item.toolset_name === 'computer' || Object.hasOwn(tools, String(item.name))
        : item.name === 'computer' && isRecord(item.input) && 'action' in item.input),
    isOther: (item) =>
      isRecord(item) && ['text', 'thinking', 'redacted_thinking'].includes(String(item.type)),
    read: (item) => {
      const read = readAs(ToolUse, item);
      if (read !== undefined) return toolUse(read, members);
      // An action without its envelope.
      if (!isRecord(item) || typeof item.action !== 'string' || 'type' in item) return undefined;
      return callOf(undefined, { actions: actionsOf(members, item.action, item) });
    },
    tools: (facts) => [
      ...(isToolset ? [toolset(facts)] : [olderTool(name, facts)]),
      ...shellTools(facts),
    ],
  };
}

function toolUse(item: z.output<typeof ToolUse>, members: Members): UseCall | undefined {
  const { id, name, input, toolset_name } = item;
  if (toolset_name === 'computer') {
    return callOf(id, { actions: actionsOf(members, name, input), toolset: true });
  }
  if (name === 'computer' && typeof input.action === 'string') {
    return callOf(id, { actions: actionsOf(members, input.action, input) });
  }
  return Object.hasOwn(tools, name)
    ? callOf(id, { actions: actionsOf(tools, name, input) })
    : undefined;
}

function callOf(
  id: string | undefined,
  { actions, toolset = false }: { actions: UseCall['actions']; toolset?: boolean },
): UseCall {
  return {
    id,
    actions,
    units: 'pixels',
    checks: [],
    showsScreen: false,
    answer: (outcome) => [
      {
        ...(id === undefined ? {} : { type: 'tool_result', tool_use_id: id }),
        ...(toolset ? { toolset_name: 'computer' } : {}),
        content: contentOf(outcome),
        ...(outcome.state === 'done' ? {} : { is_error: true }),
      },
    ],
  };
}

function contentOf({ state, text: told, picture }: Outcome): Item[] {
  if (state === 'skipped') return [{ type: 'text', text: SKIPPED }];
  const cut =
    told !== undefined && told.length > MOST_OUTPUT ? `${told.slice(0, MOST_OUTPUT)}\n[cut]` : told;
  const source = picture && { type: 'base64', media_type: picture.mediaType, data: picture.data };
  return [
    ...(cut !== undefined || picture === undefined ? [{ type: 'text', text: cut || 'OK' }] : []),
    ...(source === undefined ? [] : [{ type: 'image', source }]),
  ];
}

function toolset(_facts: Facts): Item {
  return { type: 'computer_toolset_20260801' };
}

function olderTool(name: AnthropicName, { picture }: Facts): Item {
  return {
    type: name.replace('anthropic-', 'computer_'),
    name: 'computer',
    display_width_px: picture.width,
    display_height_px: picture.height,
    ...(name === 'anthropic-20251124' ? { enable_zoom: true } : {}),
  };
}

function shellTools({ hasShell }: Facts): Item[] {
  if (!hasShell) return [];
  return [
    { type: 'bash_20250124', name: 'bash' },
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  ];
}

const NAMES = Object.keys(versions) as AnthropicName[];

export const anthropicDialects = Object.fromEntries(
  NAMES.map((name) => [name, anthropic(name)]),
) as Readonly<Record<AnthropicName, Dialect>>;
