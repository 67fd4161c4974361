import { expect, inject, it, onTestFinished } from 'vitest';
import { tree } from '../../../../src/cli/commands/tree.js';
import { jqExamples } from '../../../../src/cli/framework/topics/topics.js';
import { loadOutline, paths } from '../../../../src/cli/generate/outline.js';
import { openExamples, type Skipped, withoutSkipped } from '../../../support/cli/examples.js';
import { openTestService } from '../../../support/service/service.js';

/** Examples in the help of commands that are not run here. */
const SKIPPED: Skipped = [
  [
    /--engine (qemu|podman)|^vc image (warm|import)|vc fork /,
    'needs QEMU, Podman or disks of virtual machines',
  ],
  [
    /^vc image (build( linux| windows)?$|rm lab)|vc setup($| --engine| --remove)/,
    'changes the host',
  ],
  [/vc\.example\.com|^vc login --profile/, 'needs another service or API key'],
  [/^vc computer stream start/, 'needs the RTMP server live.example.com'],
  [
    /^vc serve|^vc service|vc serve/,
    'starts or stops services; test/e2e/cli/service.test.ts does it',
  ],
  [/^vc connection add show rtmps:\/\/live\.example\.com\/app$/, 'asks for the stream key'],
  [
    /--watch|^vc forward|^vc vnc|^vc record demo\/desktop$|^vc events|^vc logs .* -f$/,
    'runs until Ctrl-C',
  ],
  [
    /^vc (secret (set|rm) SHOP_PASSWORD -p demo|rm (demo\/desktop|--all -p demo)|project rm demo|snapshot rm demo\/desktop clean|volume rm data|exec -it demo\/desktop top|owner rm alice( --force)?|connection rm show|profile rm office)$/,
    'asks at a terminal',
  ],
  [/^vc (backup --force|restore)/, 'writes to the host, or needs an empty state'],
  [/^vc completion (zsh|fish)|^vc profile use/, 'needs another shell or profile'],
  [/^vc demo --pause/, 'the demo is run once'],
  [/^vc (up|diff|down)\b/, 'needs a file; test/e2e/cli/fleet-file.test.ts has one'],
  [/^vc run tasks\.yaml/, 'needs a file; test/e2e/cli/runs.test.ts has one'],
  [
    /^vc (click|move|wait) .* --(text|element) /,
    'needs such an element or text; elements.test.ts and text.test.ts have one',
  ],
  [/^vc publish .* --expires/, 'is published by another example'],
  [/^vc cluster|--member node1/, 'needs a cluster'],
  [/^vc click .* --mark /, 'needs a picture with that many marks; marks.test.ts takes one'],
  [/ demo\/again /, 'needs a trajectory with snapshots; trajectory-snapshots.test.ts has one'],
  [/vc webhook (create|get|test|deliveries|rm)/, 'needs a target; surfaces.test.ts has one'],
];

/** What the examples need, in the order in which it is made; some are examples themselves. */
const BEFORE = [
  'vc project create demo',
  'vc create demo/desktop',
  'id=$(vc create demo/agent -q)',
  'vc create desk',
  'vc project create shop; vc project create trial; vc create demo/a; vc create demo/b',
  "vc alias set look 'screenshot desk'",
  'vc volume create data',
  "vc bash demo/desktop --background 'python3 -m http.server 8000'",
  'vc snapshot create demo/desktop clean',
  'vc snapshot create demo/desktop a; vc snapshot create demo/desktop b',
  'vc key create agent',
  'vc owner create alice',
  'vc connection add show rtmps://live.example.com/app/name',
  "echo error > app.log; echo uname > setup.sh; echo 'print(1)' > task.py; echo some words > words.txt",
  'echo note > notes.txt; echo report > report.pdf; echo ls > commands.sh; echo secret > stream.key; echo secret > password.txt',
  "echo STAGE=test > .env; echo '{}' > app.json; mkdir mybox project; printf 'FROM linux\\nARG VERSION\\nRUN true\\n' | tee mybox/Dockerfile > Dockerfile.qa",
  'vc secret set SHOP_PASSWORD -p demo < password.txt',
  `echo '{"type":"computer_call","call_id":"c","actions":[{"type":"screenshot"}]}' > turn.json; echo '{"action":"move","x":1,"y":2}' > login.jsonl; mkdir -p ~/.local/share/bash-completion/completions`,
];

/** Examples that end something, in this order, after the others. */
const AFTER = [
  'vc reset demo/desktop clean',
  'vc reset demo/desktop@clean',
  'vc reset demo/desktop',
  'vc snapshot rm demo/desktop a b --yes',
  'vc stop demo/desktop',
  'vc wait demo/desktop --for stopped --timeout 2m',
  'vc start demo/desktop',
  'vc restart demo/desktop',
  'vc stop -p demo desktop agent',
  'vc start -p demo desktop agent',
  'vc restart -p demo desktop agent',
  'vc rm demo/a demo/b --yes',
  'vc rm demo/worker --yes',
  'vc volume rm data --yes',
  // One computer stays, so that the project starts fast.
  'vc rm demo/agent demo/big --yes',
  'vc project stop demo',
  'vc project start demo',
  'vc project restart demo',
  'vc connection rm show --yes',
  'vc connection add show rtmps://live.example.com/app --key-stdin < stream.key',
  'vc key rm agent --yes',
  'vc alias rm look',
  'vc computer update demo/desktop --protect; vc computer update demo/desktop --unprotect',
  'vc stop --all --yes',
  'vc project rename shop store',
  'vc project rm demo trial --yes',
];

/** Examples that leave a browser running, which would keep a processor busy until the end. */
const LEAVES_BROWSER = /--background chromium$|--temporary$/;
const END_BROWSER = 'vc exec demo/desktop -- pkill chromium || true';

it('every example in the help of a command runs as it stands', async () => {
  const all = [
    ...paths(await loadOutline(tree)).flatMap(({ command }) => command.examples),
    ...jqExamples,
  ].map(({ command }) => command);
  const between = withoutSkipped(all, SKIPPED).filter(
    (line) =>
      ![...BEFORE, ...AFTER].includes(line) && line !== 'vc computer update demo/desktop --protect',
  );
  // Opened for each attempt, because the examples end by removing what they need.
  const service = await openTestService(['--max-running', '20'], {
    mountsOf: inject('dockerPid'),
  });
  onTestFinished(() => service.close());
  const examples = openExamples(service);
  const failures: string[] = [];
  const run = (line: string) =>
    examples.run(line).catch((error: Error) => void failures.push(error.message));
  for (const line of BEFORE) await run(line);
  const job = (await examples.run("vc bash demo/desktop --background 'sleep 1000'")).trim();
  for (const line of between) {
    await run(line.replace('job_0mi4x2k9a01234567', job));
    if (LEAVES_BROWSER.test(line)) await run(END_BROWSER);
  }
  for (const line of AFTER) await run(line);
  // A text, so that the summary of a repeated attempt shows it.
  expect(failures.join('\n')).toBe('');
}, 900_000);
