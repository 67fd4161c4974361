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
  summary: `Import a disk as an image, for the engine ${enumerate(IMPORTING)}`,
  details: [
    'The disk is copied, and computers write to their own layers above the copy. Screen, mouse and',
    'keyboard work with any operating system. Commands need an SSH server on the disk that accepts',
    'the user and key and runs bash; without one, use --no-shell. The network is configured by DHCP.',
    'You need licences for the software on the disk.',
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
    os: choice('--os <name>', 'operating system on the disk', OPERATING_SYSTEMS, {
      otherwise: 'linux',
    }),
    sshUser: value('--ssh-user <name>', 'user to run commands as', nonEmpty),
    sshKey: value('--ssh-key <file>', 'private key of the user', nonEmpty),
    shell: flag('--no-shell', 'the disk has no SSH server'),
    firmware: choice('--firmware <kind>', 'firmware that boots the disk', ['uefi', 'bios'], {
      otherwise: 'bios',
    }),
  },
  fields: fields.storedImage,
  examples: [
    {
      does: 'A Windows disk without an SSH server',
      command: 'vc image import win windows.qcow2 --os windows --firmware uefi --no-shell',
    },
    {
      does: 'A Linux disk with an SSH server',
      command: 'vc image import lab lab.img --ssh-user me --ssh-key ~/.ssh/lab',
    },
  ],
  async run(context, { name, disk }, { engine, os, sshUser, sshKey, shell, firmware }) {
    const hasLogin = sshUser !== undefined && sshKey !== undefined;
    if (hasLogin === !shell || (sshUser === undefined) !== (sshKey === undefined)) {
      throw new UsageError(
        'needs either --ssh-user and --ssh-key, or --no-shell',
        'use --no-shell if the disk has no SSH server',
      );
    }
    return importDisk(context, {
      engine: engine ?? IMPORTING[0] ?? '',
      name,
      os: os ?? 'linux',
      firmware: firmware ?? 'bios',
      disk: resolve(context.cwd, disk),
      login: hasLogin ? { user: sshUser, keyFile: resolve(context.cwd, sshKey) } : undefined,
    });
  },
});
