import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { textBeyond } from '../lib/json/bounds.js';
import { BOUNDS } from './checked-messages.js';
import type { Service } from './service.js';
import type { Toolset } from './toolsets.js';

/** A tool: its description for models, and what it does. */
export interface Tool {
  readonly name: string;
  readonly toolset: Toolset | readonly Toolset[];
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>;
  /** `secrets` are the names that texts may contain. */
  run(
    service: Service,
    input: never,
    signal?: AbortSignal,
    secrets?: readonly string[],
  ): Promise<CallToolResult>;
}

export function tool<const S extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run'> & {
    readonly input: S;
    run(
      service: Service,
      input: z.output<S>,
      signal?: AbortSignal,
      secrets?: readonly string[],
    ): Promise<CallToolResult>;
  },
): Tool {
  return definition as unknown as Tool;
}

export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;
export const CHANGES = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
} as const;

/** What it does cannot be taken back, and may reach the internet. */
export const ACTS = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

export const computer = z.string().max(200).describe('PROJECT/NAME or the id of the computer.');

/** A list or an object, which some clients send as a string of JSON. */
export function jsonOr<S extends z.ZodType>(schema: S) {
  return z.preprocess((value) => (typeof value === 'string' ? parsed(value) : value), schema);
}

/** The list or object of a JSON text; any other text as it is. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  if (textBeyond(text, { ...BOUNDS, allFields: BOUNDS.values }) !== undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const said = (text: string, isError = false): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(isError ? { isError } : {}),
});
