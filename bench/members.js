/**
 * Measures the screen and shell of a computer on the member of a cluster that the service talks to,
 * and of one on another member, in turns. Requires a service with the engine `incus`, which VC_BASE_URL
 * and VC_API_KEY or the profile name, a key of an administrator, and a built `dist`:
 *
 *   npm run build && node bench/members.js LOCAL-MEMBER REMOTE-MEMBER [RUNS]
 */
import { VirtualComputers } from '../clients/typescript/dist/index.mjs';
import { row } from './measure.js';

const [local, remote, runs = '200'] = process.argv.slice(2);
if (remote === undefined) throw new Error('name the members: LOCAL-MEMBER REMOTE-MEMBER');
const PROJECT = 'bench-members';
const WARM = 10;

const ACTIONS = {
  'screenshot, PNG': (computer) => computer.screenshot(),
  click: (computer) => computer.click(600, 700),
  'bash true': (computer) => computer.bash('true'),
};

const vc = new VirtualComputers();
await vc.projects.create(PROJECT);
try {
  const computers = await Promise.all(
    [local, remote].map((member) => vc.computers.create(PROJECT, { name: member, member })),
  );
  for (const [what, act] of Object.entries(ACTIONS)) {
    const times = [[], []];
    for (let run = -WARM; run < Number(runs); run++) {
      // Which is first changes, too.
      for (const index of run % 2 === 0 ? [0, 1] : [1, 0]) {
        const startedAt = performance.now();
        await act(computers[index]);
        if (run >= 0) times[index].push(performance.now() - startedAt);
      }
    }
    const {
      against,
      'its p50': other,
      ratio,
      ...own
    } = row(what, times[0], {
      ...{ name: remote, times: times[1] },
    });
    console.log(JSON.stringify({ ...own, [against]: other, ratio }));
  }
} finally {
  await vc.projects.delete(PROJECT);
  await vc.close();
}
