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

interface VendorTool {
  readonly name: string;
}
interface VendorResult {
  readonly tool_use_id: string;
}

const programs = {
  followJob: async (desk: ComputerHandle) => {
    const { job_id } = await desk.bash('make', { background: true });
    for await (const text of desk.jobs.follow(job_id)) text.trim();
  },
  decodeOutput: ({ stdout }: RemoteProcess) => stdout.pipeThrough(new TextDecoderStream()),
  modelTurn: async (desk: ComputerHandle, content: VendorResult[]) => {
    const tools: VendorTool[] = await desk.computerUseTools<VendorTool>('anthropic');
    const { results, confirm } = await desk.computerUse<VendorResult>(content);
    const items: VendorResult[] = results;
    return [tools, items, confirm];
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
  onlySetOptions: (desk: ComputerHandle, quality: number | undefined) =>
    desk.screenshot({ quality, settle: { quiet_ms: 200 }, region: undefined }),
  environment: (): VirtualComputersOptions => ({ apiKey: undefined, baseUrl: undefined }),
};

it('programs of the documents compile', () => {
  expect(Object.keys(programs)).not.toHaveLength(0);
});
