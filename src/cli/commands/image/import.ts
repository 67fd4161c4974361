import { resolve } from 'node:path';
import { OPERATING_SYSTEMS } from '../../../contract/constants.js';
import { UsageError } from '../../errors/cli-error.js';
import { argument, choice, defineCommand, enumerate, flag, value } from '../../framework/define.js';
import { importDisk } from '../../images/import.js';
import { enginesWith } from '../../input/engine-choice.js';
import { nonEmpty } from '../../input/parse.js';
import { fields } from '../../output/fields.js';

const IMPORTING = enginesWith('import');

export const command = defineCommand({
  name: 'import',
  summary: `Make an image of a disk of your own, for the engine ${enumerate(IMPORTING)}`,
  details: [
    'The disk is copied; computers made from the image write to their own layers above it. Screen,',
    'mouse and keyboard work with any system. Commands need an SSH server on it that accepts the',
    'user with the key and runs bash; without one use --no-shell. Its network is configured by DHCP.',
    'You need the licences for the software on it.',
  ].join(' '),
  arguments: {
    name: argument('name', 'name of the image', nonEmpty),
    disk: argument('disk', 'disk file: qcow2, raw, vmdk, vdi or vhdx', nonEmpty, {
      completes: 'file',
    }),
  },
  options: {
    engine: choice('--engine <name>', 'engine to import it for', IMPORTING, {
      otherwise: IMPORTING[0] ?? '',
    }),
    os: choice('--os <name>', 'system on the disk', OPERATING_SYSTEMS, { otherwise: 'linux' }),
    sshUser: value('--ssh-user <name>', 'user to run commands as', nonEmpty),
    sshKey: value('--ssh-key <file>', 'private key of the user', nonEmpty),
    shell: flag('--no-shell', 'the disk has no SSH server'),
    firmware: choice('--firmware <kind>', 'how it boots', ['uefi', 'bios'], { otherwise: 'bios' }),
  },
  fields: fields.storedImage,
  examples: [
    {
      does: 'A Windows disk without an SSH server',
      command: 'vc image import win windows.qcow2 --os windows --firmware uefi --no-shell',
    },
    {
      does: 'A Linux disk with one',
      command: 'vc image import lab lab.img --ssh-user me --ssh-key ~/.ssh/lab',
    },
  ],
  async run(context, { name, disk }, { engine, os, sshUser, sshKey, shell, firmware }) {
    const hasLogin = sshUser !== undefined && sshKey !== undefined;
    if (hasLogin === !shell || (sshUser === undefined) !== (sshKey === undefined)) {
      throw new UsageError(
        'it is not clear how commands are to run in it',
        'give --ssh-user and --ssh-key, or --no-shell where it has no SSH server',
      );
    }
    return importDisk(context, {
      engine: engine ?? IMPORTING[0] ?? '',
      ...{ name, os: os ?? 'linux', firmware: firmware ?? 'bios' },
      disk: resolve(context.cwd, disk),
      login: hasLogin ? { user: sshUser, keyFile: resolve(context.cwd, sshKey) } : undefined,
    });
  },
});
