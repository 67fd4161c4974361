import { afterAll, beforeAll, expect, it } from 'vitest';
import { openUplink } from '../../../support/run/uplink.js';
import { type Desktop, openDesktop } from '../../../support/service/desktop.js';

let uplink: Awaited<ReturnType<typeof openUplink>>;
let desktop: Desktop;
beforeAll(async () => {
  uplink = await openUplink();
  desktop = await openDesktop();
});
afterAll(async () => {
  await desktop?.close();
  await uplink?.close();
});

const PROGRAM = `
from PyQt5.QtWidgets import QApplication, QPushButton
app = QApplication([])
button = QPushButton('Send the order')
button.resize(300, 100)
button.clicked.connect(lambda: button.setText('The order is sent'))
button.show()
app.exec()
`;

it('a click on a text presses a button of Qt', async () => {
  const command =
    'sudo apt-get update -q && sudo apt-get install -qy --no-install-recommends python3-pyqt5';
  const { json } = await desktop.service.http('POST', `/computers/${desktop.id}/bash`, {
    ...{ command, timeout: 280 },
  });
  expect(json).toMatchObject({ exit_code: 0 });
  await desktop.computer.files.write('button.py', PROGRAM);
  await desktop.run('setsid -f python3 button.py >/dev/null 2>&1');
  await desktop.computer.wait({ until: { text: 'Send the order' }, timeout: 60 });
  const { elements } = await desktop.computer.find({ text: 'Send the order' });
  expect(elements).toContainEqual(expect.objectContaining({ source: 'elements', role: 'button' }));
  const click = ['click', desktop.name, '--text', 'Send the order'];
  expect(await desktop.service.cli(click)).toMatchObject({ code: 0 });
  await desktop.computer.wait({ until: { text: 'The order is sent' }, timeout: 60 });
}, 400_000);
