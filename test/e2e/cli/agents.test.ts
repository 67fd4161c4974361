import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { agentCommand, type Examples, openExamples } from '../../support/cli/examples.js';
import { openScriptedVendor, type ScriptedVendor } from '../../support/model/scripted-vendor.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';
import type { Json } from '../../support/service/service.js';

let desktop: Desktop;
let examples: Examples;
let vendor: ScriptedVendor | undefined;
beforeAll(async () => {
  desktop = await openDesktop();
  examples = openExamples(desktop.service);
});
afterEach(() => vendor?.close());
afterAll(() => desktop?.close());

const call = (name: string, input: object) => ({
  content: [{ type: 'tool_use', id: `${name}_1`, name, input }],
});
const environmentOf = (url: string) =>
  `ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=k ANTHROPIC_MODEL=m`;

it('an agent clicks on a number, and is shown that it is not there any more', async () => {
  await desktop.run('setsid mousepad >/dev/null 2>&1 &');
  const numberOf = (name: string) => {
    const shown: Json = vendor?.asked.at(-1);
    const lines: string[] = shown.messages.at(-1).content.at(-1).text.split('\n');
    return Number.parseInt(lines.find((line) => line.endsWith(` "${name}"`)) ?? '0', 10);
  };
  const click = (name: string) => async () => call('click', { mark: numberOf(name) });
  let wrapped = 0;
  vendor = await openScriptedVendor([
    click('Search'),
    async () => {
      wrapped = numberOf('Highlight All');
      return call('key', { key: 'Escape' });
    },
    async () => call('click', { mark: 200 }),
    async () => ({ content: [{ type: 'text', text: 'Done.' }] }),
  ]);
  await desktop.until('xdotool search --onlyvisible --class mousepad');
  const command = `${environmentOf(vendor.url)} ${await agentCommand(examples, desktop.project, 'marks.ts')} 'Do it'`;
  expect(await examples.run(command)).toMatch(/Done\./);
  // The menu was open.
  expect(wrapped).toBeGreaterThan(0);
  const [first, second, , last] = vendor.asked;
  expect(first.tools.map(({ name }: Json) => name)).toEqual(['click', 'type', 'key']);
  expect(first.messages[0].content[0]).toEqual({ type: 'text', text: 'Do it' });
  expect(JSON.stringify(first.messages[0].content[1])).toMatch(/iVBORw0KGgo/);
  expect(second.messages.at(-1).content[0]).toEqual({
    ...{ type: 'tool_result', tool_use_id: 'click_1', is_error: false, content: 'OK' },
  });
  expect(last.messages.at(-1).content[0]).toMatchObject({
    ...{ is_error: true, content: expect.stringContaining('has the marks 1 to') },
  });
  await desktop.run('pkill -x mousepad');
});

it('a search tries eight ways, continues from the best and removes the others', async () => {
  const ways = (length: number, command: (index: number) => string) =>
    Array.from({ length }, (_, index) => command(index));
  vendor = await openScriptedVendor([
    call('propose', { commands: ways(8, (index) => `echo 0.${index} >score; touch first`) }),
    call('propose', {
      commands: ['false', 'test -f first && test $(cat score) = 0.7 && echo 1 >score'],
    }),
  ]);
  const program = await agentCommand(examples, desktop.project, 'branches.ts');
  const command = `${environmentOf(vendor.url)} ${program} 'Raise the score' 'cat score'`;
  const output = await examples.run(command);
  expect(output.match(/^search-\d+-1-\d: /gm)).toHaveLength(8);
  expect(output).toMatch(/^best: search-\d+-2-2 with 1$/m);
  expect(vendor.asked[1].messages[0].content).toContain('The score is 0.7 of 1.');
  const { computers } = await desktop.service.vc.projects.get(desktop.project);
  const left = (computers ?? []).map(({ name }: Json) => name).sort();
  expect(left).toEqual(['desktop', expect.stringMatching(/^search-\d+-2-2$/)]);
  expect((await desktop.computer.snapshots.list()).length).toBe(0);
});
