import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ComputerNetwork } from '../contract/resources/network.js';
import type { BodyInput } from '../contract/types/index.js';
import { Actions, scaled, withSecrets } from './actions.js';
import type { Computer } from './computers.js';
import { addressOf, findComputer, listComputers } from './computers.js';
import { type Element, wordsOf } from './element-lines.js';
import { scaleOf, takePicture } from './pictures.js';
import type { Service } from './service.js';
import { snapshotTools } from './snapshots.js';
import { ACTS, CHANGES, computer, jsonOr, READS, said, type Tool, tool } from './tool.js';

/** Elements in a list: a model reads a line for each. */
const MOST = 250;
/** Most characters of a command's output: models have little use for more. */
const MOST_OUTPUT = 30_000;

/** The elements on the screen, or those of a text, as content with boxes in pixels of the picture. */
async function listElements(
  service: Service,
  { id }: Computer,
  { scale, text, signal }: { scale: number; text?: string; signal: AbortSignal | undefined },
): Promise<CallToolResult['content']> {
  const options = { params: { id }, ...(signal && { signal }) };
  const { elements, truncated } = await (text === undefined
    ? service.request('getElements', { ...options, query: { limit: MOST } })
    : service.request('findElements', { ...options, body: { text, limit: MOST } }));
  const head = 'Elements: id, role, box as x,y,width,height, "name", = "value", states.';
  const lines = elements.map((element) => lineOf(element, scale));
  const end = truncated ? ['There are more.'] : [];
  return [{ type: 'text', text: [head, ...lines, ...end].join('\n') }];
}

function lineOf(element: Element, scale: number): string {
  const box = element.box.map((each) => Math.round(each * scale)).join(',');
  return [element.id, ...wordsOf(element, [box])].join(' ');
}

/** All tools. Without a choice there are ten at most: a model has to read all of them. */
export const tools: readonly Tool[] = [
  tool({
    name: 'list_computers',
    toolset: 'screen',
    title: 'List computers',
    description: 'Lists the virtual computers with their status. Start here.',
    input: z.object({
      project: z.string().max(64).optional().describe('Only this project.'),
      label: z.string().max(127).optional().describe('Only with this label: NAME=VALUE or NAME.'),
    }),
    annotations: { ...READS, openWorldHint: false },
    run: async (service, { project, label }, signal) => {
      const lines = (await listComputers(service, { project, label }, signal)).map((each) =>
        [addressOf(each), each.id, each.os, each.status].join('\t'),
      );
      const none = label === undefined ? 'There are no computers.' : `None has the label ${label}.`;
      return said(lines.join('\n') || `${none} Create one: create_computer`);
    },
  }),
  tool({
    name: 'screenshot',
    toolset: 'screen',
    title: 'Take a screenshot',
    description:
      'Shows the screen of a computer when it has stopped changing; with `marks`, draws numbered boxes around what can be clicked and lists it, and a click takes the number; with `elements`, lists all buttons, fields and links with an id, which a click takes.',
    input: z.object({
      computer,
      marks: z.boolean().default(false).describe('Number what can be clicked.'),
      elements: z.boolean().default(false).describe('Also list the elements on the screen.'),
      find: z.string().optional().describe('Also list where this text is, in any program.'),
    }),
    annotations: { ...READS, openWorldHint: true },
    run: async (service, { computer: given, elements, find: text, marks }, signal) => {
      const found = await findComputer(service, given, signal);
      const picture = await takePicture(service, found, signal, { marks });
      const options = { scale: scaleOf(found), signal };
      const listed = elements ? await listElements(service, found, options) : [];
      const texts = text ? await listElements(service, found, { ...options, text }) : [];
      return { content: [...picture, ...listed, ...texts] };
    },
  }),
  tool({
    name: 'act',
    toolset: 'screen',
    title: 'Use mouse and keyboard',
    description:
      'Carries out mouse and keyboard actions on a computer one after the other, and shows its screen afterwards, with marks if one of them used a mark. Take a screenshot first, and give several actions at once where no look at the screen is needed between them.',
    input: z.object({ computer, actions: Actions }),
    annotations: ACTS,
    run: async (service, { computer: given, actions }, signal, secrets = []) => {
      const found = await findComputer(service, given, signal);
      const scale = scaleOf(found);
      const marks = actions.some(({ mark }) => mark !== undefined);
      const list = [
        ...actions.map((action) => withSecrets(scaled(action, scale), secrets)),
        { action: 'screenshot', scale, settle: true, ...(marks && { marks }) },
      ];
      const { success, results } = await service.request('batch', {
        params: { id: found.id },
        body: { actions: list } as unknown as BodyInput<'batch'>,
        ...(signal && { signal }),
      });
      const last = results.at(-1) as Readonly<Record<string, unknown>> | undefined;
      if (success) {
        const first = last as never;
        return { content: await takePicture(service, found, signal, { first, marks }) };
      }
      const done = results.length - 1;
      const text = `Action ${done + 1} of ${actions.length} failed: ${[last?.error, last?.remedy].filter(Boolean).join(' ')} The ${done} before it were carried out, those after it were not.`;
      const picture = await takePicture(service, found, signal, { marks }).catch(() => []);
      return { content: [{ type: 'text', text }, ...picture], isError: true };
    },
  }),
  tool({
    name: 'create_computer',
    toolset: ['computers', 'manage'],
    title: 'Create a computer',
    description: 'Creates a virtual computer and starts it. It costs memory until it is stopped.',
    input: z.object({
      project: z.string().max(64).default('default').describe('Created if it does not exist.'),
      name: z.string().min(1).max(128),
      os: z.enum(['linux', 'windows']).optional().describe('That of the image if left out.'),
      image: z.string().max(63).optional().describe('Name of a saved image.'),
      env: jsonOr(z.record(z.string(), z.string())).optional().describe('Environment variables.'),
      setup: z.string().optional().describe('Bash script that is run once, before it is ready.'),
      network: jsonOr(ComputerNetwork).optional(),
      volumes: jsonOr(z.array(z.string()))
        .optional()
        .describe('Volumes to mount, such as "data:/data": directories that outlive computers.'),
    }),
    annotations: { ...CHANGES, idempotentHint: false, openWorldHint: false },
    run: async (service, { project, name, ...asked }, signal) => {
      const options = signal ? { signal } : {};
      const { projects } = await service.request('listProjects', options);
      if (!projects.some((each) => each.name === project)) {
        await service.request('createProject', { body: { name: project }, ...options });
      }
      const body = { name, ...asked };
      const made = await service.request('createComputer', {
        params: { project },
        body,
        ...options,
      });
      const reason = made.status_reason === undefined ? '' : ` ${made.status_reason}`;
      const isFailed = made.status === 'error';
      return said(`${addressOf(made)} (${made.id}) is ${made.status}.${reason}`, isFailed);
    },
  }),
  tool({
    name: 'start_computer',
    toolset: 'computers',
    title: 'Start a computer',
    description: 'Starts a computer that is stopped.',
    input: z.object({ computer }),
    annotations: { ...CHANGES, openWorldHint: false },
    run: async (service, { computer: given }, signal) => {
      const { id } = await findComputer(service, given, signal);
      const options = { params: { id }, ...(signal && { signal }) };
      const { status } = await service.request('startComputer', options);
      return said(`The computer is ${status}.`);
    },
  }),
  tool({
    name: 'stop_computer',
    toolset: 'computers',
    title: 'Stop a computer',
    description: 'Stops a computer. Its disk stays, its programs end.',
    input: z.object({ computer }),
    annotations: { ...CHANGES, destructiveHint: true, openWorldHint: false },
    run: async (service, { computer: given }, signal) => {
      const { id } = await findComputer(service, given, signal);
      const options = { params: { id }, ...(signal && { signal }) };
      const { status } = await service.request('stopComputer', options);
      return said(`The computer is ${status}.`);
    },
  }),
  tool({
    name: 'delete_computer',
    toolset: 'manage',
    title: 'Delete a computer',
    description:
      'Deletes a computer with its disk and snapshots. This cannot be undone; stop_computer keeps them.',
    input: z.object({ computer }),
    annotations: { ...CHANGES, destructiveHint: true, openWorldHint: false },
    run: async (service, { computer: given }, signal) => {
      const found = await findComputer(service, given, signal);
      const options = { params: { id: found.id }, ...(signal && { signal }) };
      await service.request('deleteComputer', options);
      return said(`${addressOf(found)} is deleted.`);
    },
  }),
  ...snapshotTools,
  tool({
    name: 'run_command',
    toolset: 'commands',
    title: 'Run a command',
    description:
      'Runs a bash script in a computer and answers its output and exit code. Also reads and writes files: cat, tee.',
    input: z.object({
      computer,
      command: z.string().min(1),
      timeout: z.number().min(1).max(600).default(60).describe('Seconds.'),
    }),
    annotations: ACTS,
    run: async (service, { computer: given, command, timeout }, signal) => {
      const { id } = await findComputer(service, given, signal);
      const body = { command, timeout };
      const options = { params: { id }, body, ...(signal && { signal }) };
      const { output, exit_code, timed_out } = await service.request('bash', options);
      const end = timed_out ? `Ended after ${timeout} s.` : `Exit code ${exit_code}.`;
      return said(`${shortened(output)}\n${end}`.trim(), timed_out || exit_code !== 0);
    },
  }),
];

/** The beginning and the end of a text that is too long. */
function shortened(text: string): string {
  if (text.length <= MOST_OUTPUT) return text;
  const half = MOST_OUTPUT / 2;
  const left = text.length - MOST_OUTPUT;
  return `${text.slice(0, half).toWellFormed()}\n… ${left} characters left out …\n${text.slice(-half).toWellFormed()}`;
}
