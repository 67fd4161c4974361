// The loop of an agent: show the model the screen, carry out its actions, until it is done.

import { type ComputerHandle, VirtualComputers } from 'virtual-computers';

/** What the model says in one turn: actions as `POST C/batch` takes them. */
interface Turn {
  readonly actions: Parameters<ComputerHandle['batch']>[0];
  readonly isDone?: boolean;
}

/**
 * Stands for a model. It gets the screen, and what went wrong in the last turn; a real one is asked
 * here over its own API. docs/agents.md has the loops of two vendors.
 */
const turns: Turn[] = [
  { actions: [{ action: 'click', x: 640, y: 400, settle: true }] },
  { actions: [{ action: 'click', x: 5000, y: 5000 }] }, // Models err; the error goes back to them.
  { actions: [{ action: 'type', text: 'Milk, Brot, 牛乳\n', settle: true }] },
  { actions: [{ action: 'key', key: 'ctrl+s', settle: true }] },
  { actions: [], isDone: true },
];
async function askModel(picture: Uint8Array, mistake: string | undefined): Promise<Turn> {
  console.log(`the model sees ${picture.length} bytes${mistake ? ` and: ${mistake}` : ''}`);
  return turns.shift() ?? { actions: [], isDone: true };
}

const vc = new VirtualComputers();
const project = `agent-${Date.now()}`;
await vc.projects.create(project);
try {
  const desk = await vc.computers.create(project, { name: 'desk' });
  // The task: write a shopping list into the editor that is open, and save it.
  await desk.bash(
    `touch list.txt; mousepad list.txt >/dev/null 2>&1 &
     xdotool search --sync --onlyvisible --class mousepad`,
    { check: true, timeout: 60 },
  );
  await desk.wait({ until: 'stable' });

  let mistake: string | undefined;
  for (let turn = 1; turn <= 20; turn += 1) {
    const { actions, isDone } = await askModel(await desk.screenshot({ scale: 0.5 }), mistake);
    if (isDone) break;
    const { success, results } = await desk.batch(actions);
    // The last result is that of the action that failed.
    const last = results.at(-1);
    mistake = !success && last && 'error' in last ? last.error : undefined;
  }
  console.log('saved:', (await desk.files.readText('list.txt')).trim());
} finally {
  await vc.projects.delete(project);
  await vc.close();
}
