import type Anthropic from '@anthropic-ai/sdk';
import { expect, it } from 'vitest';
import type {
  ComputerHandle,
  KnownComputer,
  RemoteProcess,
  VirtualComputers,
  VirtualComputersOptions,
} from '../../src/client/index.js';

/*
 * Programs that must compile in strict mode: the type check is the test, nothing of it runs.
 */

const programs = {
  followJob: async (desk: ComputerHandle) => {
    const { job_id } = await desk.bash('make', { background: true });
    for await (const text of desk.jobs.follow(job_id)) text.trim();
  },
  decodeOutput: ({ stdout }: RemoteProcess) => stdout.pipeThrough(new TextDecoderStream()),
  modelTurn: async (desk: ComputerHandle, anthropic: Anthropic, model: string) => {
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Go.' }];
    const tools = await desk.computerUseTools<Anthropic.ToolUnion>('anthropic');
    for (let turn = 1; turn <= 20; turn += 1) {
      const message = await anthropic.messages.create({ model, max_tokens: 4096, tools, messages });
      messages.push({ role: 'assistant', content: message.content });
      if (message.stop_reason !== 'tool_use') break;
      const { results } = await desk.computerUse<Anthropic.ToolResultBlockParam>(message.content);
      messages.push({ role: 'user', content: results });
    }
  },
  knownComputers: async (vc: VirtualComputers, any: ComputerHandle) => {
    const made: KnownComputer = await vc.computers.create('lab', { name: 'desk' });
    const copy = await made.fork('copy');
    const found = await vc.computers.get({ project: 'lab', name: 'desk' });
    const ids: string[] = [made.id, copy.id, found.id, vc.computer({ id: made.id }).id];
    const widths: number[] = [made, copy, found].map(({ info }) => info.resolution.width);
    const handles: ComputerHandle[] = [made, any];
    // @ts-expect-error nothing is known of a handle by name
    const unknown: string = vc.computer({ project: 'lab', name: 'desk' }).id;
    return [ids, widths, handles, unknown];
  },
  copies: async (desk: ComputerHandle) => {
    const one: KnownComputer = await desk.fork('a', { snapshot: 'clean' });
    const [first, ...rest]: KnownComputer[] = await desk.fork(['b', 'c'], { wait: false });
    return [one, first, ...rest];
  },
  images: async (vc: VirtualComputers, desk: ComputerHandle) => {
    const { name, used_by } = await vc.images.save('ready', desk, { snapshot: 'clean' });
    await vc.computers.create('lab', { name: 'desk', image: name });
    // @ts-expect-error a computer has no word of its own
    await vc.images.save('ready', 'lab/desk');
    return used_by;
  },
  onlySetOptions: (desk: ComputerHandle, quality: number | undefined) =>
    desk.screenshot({ quality, settle: { quiet_ms: 200 }, region: undefined }),
  optionsAmongFields: async (vc: VirtualComputers, desk: ComputerHandle, signal: AbortSignal) => {
    await vc.computers.create('lab', { name: 'desk', signal, wait: false }, { timeoutMs: 1000 });
    await desk.wait({ until: 'stable', signal });
    await desk.find({ role: 'button', timeoutMs: 1000 });
    await desk.drag({ start_x: 1, start_y: 1, end_x: 2, end_y: 2, signal });
    await desk.update({ name: 'desk', signal });
    await desk.startStream({ url: 'rtmp://live.example.com/app', signal });
    await desk.browser({ signal });
  },
  missingFields: (desk: ComputerHandle) => [
    // @ts-expect-error a wait needs a time, or what to wait for
    desk.wait({}),
    // @ts-expect-error a search needs a condition
    desk.find({}),
    // @ts-expect-error a process is one program
    desk.process({ argv: ['ls'], command: 'ls' }),
    // @ts-expect-error a process is a program
    desk.process({ cwd: '/tmp' }),
  ],
  requests: (vc: VirtualComputers) => [
    vc.client.request('listProjects'),
    vc.client.request('getComputer', { params: { id: 'cmp_1' } }),
    vc.client.request('click', {
      params: { project: 'lab', computer: 'desk' },
      body: { x: 1, y: 2 },
    }),
    // @ts-expect-error it has a path with parameters
    vc.client.request('getComputer'),
    // @ts-expect-error these are the parameters of another path
    vc.client.request('getComputer', { params: { project: 'lab' } }),
    // @ts-expect-error a project needs a name
    vc.client.request('createProject'),
    // @ts-expect-error it has no body
    vc.client.request('listProjects', { body: {} }),
  ],
  environment: (): VirtualComputersOptions => ({ apiKey: undefined, baseUrl: undefined }),
};

it('programs of the documents compile', () => {
  expect(Object.keys(programs)).not.toHaveLength(0);
});
