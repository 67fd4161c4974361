// A search over what an agent might do: a model proposes eight commands, each runs in a copy of the
// computer demo/desktop, the best copy is kept and the others are removed, and so on from there. The
// service must let ten computers run: `vc serve --max-running 10`.
//
//   ANTHROPIC_API_KEY=… ANTHROPIC_MODEL=… node branches.ts TASK CHECK
//
// CHECK is a command of the computer that prints how good its state is, from 0 to 1.

import { VirtualComputers } from 'virtual-computers';

const { ANTHROPIC_API_KEY = '', ANTHROPIC_MODEL = '' } = process.env;
const BASE_URL = process.env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com';
const WAYS = 8;
const MOST_ROUNDS = 4;
const [task = 'Make ~/done contain the word yes', check = 'grep -c yes ~/done'] =
  process.argv.slice(2);

const propose = {
  name: 'propose',
  description: `Proposes ${WAYS} different bash commands, each tried in a copy of the computer.`,
  input_schema: {
    type: 'object',
    properties: { commands: { type: 'array', items: { type: 'string' }, maxItems: WAYS } },
    required: ['commands'],
  },
};

interface Message {
  readonly content: readonly {
    readonly type: string;
    readonly input?: { readonly commands: readonly string[] };
  }[];
}

/** The commands that the model would try next. */
async function ask(messages: readonly object[]): Promise<readonly string[]> {
  const response = await fetch(`${BASE_URL}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({
      ...{ model: ANTHROPIC_MODEL, max_tokens: 4096, messages },
      ...{ tools: [propose], tool_choice: { type: 'tool', name: 'propose' } },
    }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  const { content } = (await response.json()) as Message;
  return content.flatMap(({ input }) => input?.commands ?? []).slice(0, WAYS);
}

const vc = new VirtualComputers();
const start = vc.computer({ project: 'demo', name: 'desktop' });
const run = `search-${Date.now()}`;
type Desk = Pick<typeof start, 'bash' | 'delete' | 'fork' | 'snapshots'>;

async function score(desk: Desk): Promise<number> {
  return Number.parseFloat((await desk.bash(check)).stdout) || 0;
}

const tried: string[] = [];
let best: { desk: Desk; score: number; name: string } = {
  ...{ desk: start, score: await score(start), name: 'desktop' },
};
for (let round = 1; round <= MOST_ROUNDS && best.score < 1; round += 1) {
  const text = `${task}\nThe score is ${best.score} of 1. Tried so far:\n${tried.join('\n')}`;
  const commands = await ask([{ role: 'user', content: text }]);
  if (commands.length === 0) break;
  // All copies begin in the same state, which the snapshot keeps.
  const snapshot = `${run}-${round}`;
  await best.desk.snapshots.create(snapshot);
  const names = commands.map((_, index) => `${snapshot}-${index + 1}`);
  const copies = await best.desk.fork(names, { snapshot });
  const branches = await Promise.all(
    copies.map(async (desk, index) => {
      const command = commands[index] ?? '';
      await desk.bash(command);
      return { desk, command, name: names[index] ?? '', score: await score(desk) };
    }),
  );
  for (const branch of branches) {
    tried.push(`${branch.score} ${branch.command}`);
    console.log(`${branch.name}: ${branch.score} for ${branch.command}`);
  }
  const found = branches.reduce((a, b) => (b.score > a.score ? b : a));
  const isBetter = found.score > best.score;
  const useless = branches.filter((branch) => !isBetter || branch !== found);
  await Promise.all(useless.map(({ desk }) => desk.delete()));
  const previous = best.desk;
  if (isBetter) best = found;
  // A copy takes its snapshots with it; the first computer stays.
  if (previous === start) await start.snapshots.delete(snapshot);
  else if (isBetter) await previous.delete();
  else await previous.snapshots.delete(snapshot);
}
console.log(`best: ${best.name} with ${best.score}`);
await vc.close();
