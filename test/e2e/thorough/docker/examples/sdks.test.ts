import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'rolldown/experimental';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { codeBlocks, type Examples, openExamples } from '../../../../support/cli/examples.js';
import {
  type Asked,
  messages,
  type Protocol,
  responses,
} from '../../../../support/model/protocols.js';
import {
  openScriptedVendor,
  type ScriptedVendor,
} from '../../../../support/model/scripted-vendor.js';
import { inTier } from '../../../../support/run/tiers.js';
import { type Desktop, openDesktop } from '../../../../support/service/desktop.js';

const ROOT = new URL('../../../../../', import.meta.url).pathname;
const TEXT = 'Grüße, 牛乳 × 2 – ещё сыр ✓ 🙂';
const FILE = '/tmp/list.txt';

/** Each program, the protocol that its SDK speaks, and how it is told where the vendor is. */
const SDKS: readonly (readonly [string, Protocol, (url: string) => string])[] = [
  ['anthropic', messages, (url) => `ANTHROPIC_BASE_URL=${url}`],
  ['ai-sdk', messages, (url) => `ANTHROPIC_BASE_URL=${url}/v1`],
  ['openai', responses, (url) => `OPENAI_BASE_URL=${url}/v1 OPENAI_AGENTS_DISABLE_TRACING=1`],
];

let desktop: Desktop;
let examples: Examples;
let vendor: ScriptedVendor | undefined;
// Each loop has a computer of its own: an editor that was killed starts differently the next time.
beforeEach(async () => {
  desktop = await openDesktop();
  examples = openExamples(desktop.service);
  const modules = join(examples.directory, 'node_modules');
  for (const name of ['@anthropic-ai', '@openai', '@ai-sdk', 'ai']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(examples.directory, 'sdks'));
});
afterEach(async () => {
  vendor?.close();
  await desktop.close();
});

/** What the model does in a turn, and what it waits for before, as a person would by looking. */
interface Turn {
  readonly after?: string;
  readonly asks: () => Promise<readonly Asked[]> | readonly Asked[];
}

/** That the keys go to a window with this in its name. */
const windowOf = (name: string) => `xdotool getactivewindow getwindowname | grep -q '${name}'`;

/** Asks to click on what has this text. */
async function clickOn(text: string, role: string): Promise<Asked[]> {
  const { elements } = await desktop.computer.find({ text, role });
  const box = elements.find((element) => element.name === text)?.box;
  if (box === undefined) throw new Error(`no ${role} ${text}: ${JSON.stringify(elements)}`);
  const [x, y, width, height] = box;
  return [{ does: 'click', x: Math.round(x + width / 2), y: Math.round(y + height / 2) }];
}

/** Opens an editor, types text of many scripts and saves it by the menu: eleven turns. */
const TASK: readonly Turn[] = [
  { asks: () => [{ does: 'screenshot' }] },
  { asks: () => clickOn('Mousepad', 'button') },
  {
    // It may be behind: the next click brings it to the front.
    after: 'xdotool search --onlyvisible --name Mousepad >/dev/null',
    asks: () => [{ does: 'screenshot' }],
  },
  { asks: () => [{ does: 'click', x: 640, y: 400 }] },
  { asks: () => [{ does: 'type', text: TEXT }] },
  { asks: () => [{ does: 'key', keys: ['Return'] }] },
  { asks: () => clickOn('File', 'menu') },
  { asks: () => clickOn('Save As...', 'menu item') },
  { after: windowOf('Save As'), asks: () => [{ does: 'type', text: FILE }] },
  { asks: () => [{ does: 'key', keys: ['Return'] }] },
  { after: `test -s ${FILE}`, asks: () => [{ does: 'screenshot' }] },
];

const inThisTier = inTier({ thorough: SDKS, quick: SDKS.slice(0, 1) });
it.each(inThisTier)(
  'the loop of %s completes a task of ten steps',
  async (name, protocol, environment) => {
    const turns = TASK.map(({ after, asks }, number) => async () => {
      if (after !== undefined) await desktop.until(after);
      await desktop.computer.wait({ until: 'stable', timeout: 5 });
      return protocol.turn(number, await asks());
    });
    vendor = await openScriptedVendor([...turns, protocol.end('Saved.')]);
    const source = readFileSync(join(ROOT, `examples/sdks/${name}.ts`), 'utf8').replace(
      "'demo'",
      JSON.stringify(desktop.project),
    );
    const { code } = await transform('program.ts', source);
    writeFileSync(join(examples.directory, `sdks/${name}.mjs`), code);
    const keys = 'ANTHROPIC_API_KEY=k OPENAI_API_KEY=k';
    const output = await examples
      .run(`${environment(vendor.url)} ${keys} node sdks/${name}.mjs`)
      .catch((error) => {
        throw new Error(`${error.message}\n${JSON.stringify(vendor?.asked.at(-1)).slice(-1500)}`);
      });
    expect(output).toBe('Saved.');
    await desktop.run(`printf '%s\\n' '${TEXT}' | cmp - ${FILE}`);
    expect(vendor.asked).toHaveLength(TASK.length + 1);
    for (const request of vendor.asked.slice(1)) {
      const { count, errors } = protocol.results(request);
      expect(errors).toEqual([]);
      expect(count).toBeGreaterThan(0);
    }
  },
);

it('the programs of docs/agents.md are those of examples/sdks', () => {
  const samples = codeBlocks(readFileSync(join(ROOT, 'docs/agents.md'), 'utf8'), 'ts');
  for (const [name] of SDKS) {
    expect(samples).toContain(readFileSync(join(ROOT, `examples/sdks/${name}.ts`), 'utf8'));
  }
});
