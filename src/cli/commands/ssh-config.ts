import { shellWord } from '../../lib/text/shell-word.js';
import { UsageError } from '../errors/cli-error.js';
import { defineCommand, flag } from '../framework/define.js';
import { write } from '../framework/io.js';
import { done, note } from '../output/print.js';
import {
  installSshConfig,
  otherConfig,
  removeSshConfig,
  sshConfig,
  sshFiles,
} from '../ssh/config-file.js';
import { HOSTS } from '../ssh/host.js';
import { publicKey } from '../ssh/identity.js';

export const command = defineCommand({
  name: 'ssh-config',
  summary: 'Make computers hosts of ssh',
  details: [
    'Writes ~/.ssh/vc_config and includes it in ~/.ssh/config. Then ssh and what is built on it (scp,',
    `sftp, rsync, git, editors, Ansible) reach computers as ${HOSTS}, through the service and with the`,
    'rights of your API key. NAME alone is a computer of the default project. The profile is the',
    'current one of each connection, or the one that --profile names now. Needs OpenSSH 8.4 or later.',
  ].join(' '),
  arguments: {},
  options: {
    print: flag('--print', 'print the text of ~/.ssh/vc_config and write nothing'),
    remove: flag('--remove', 'remove ~/.ssh/vc_config and its line in ~/.ssh/config'),
  },
  examples: [
    { does: 'Set it up; then: ssh desktop.demo.vc', command: 'vc ssh-config' },
    { does: 'See what would be written', command: 'vc ssh-config --print' },
    { does: 'Undo it', command: 'vc ssh-config --remove' },
  ],
  async run(context, _, { print, remove }) {
    if (print && remove) throw new UsageError('give either --print or --remove');
    const text = sshConfig(context);
    if (print) return write(context.io.stdout, text);
    const files = sshFiles(context);
    if (remove) {
      const removed = await removeSshConfig(files);
      return removed
        ? done(context, `removed ${files.ours} and its line in ${files.config}`)
        : note(context, `there is no ${files.ours}`);
    }
    await publicKey(context);
    const isNew = await installSshConfig(files, text);
    await done(context, `wrote ${files.ours}${isNew ? `, included in ${files.config}` : ''}`);
    const read = otherConfig(files);
    const option = read === undefined ? '' : ` -F ${shellWord(files.config)}`;
    if (read !== undefined) {
      await note(context, `ssh itself reads ${read}, whatever HOME is: name the file with -F`);
    }
    await note(
      context,
      `to use it: ssh${option} NAME.PROJECT.vc; to remove it: vc ssh-config --remove`,
    );
  },
});
