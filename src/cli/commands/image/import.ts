import { resolve } from 'node:path';
import { argument, choice, defineCommand, flag, value } from '../../define.js';
import { UsageError } from '../../errors.js';
import { fields } from '../../fields.js';
import { importDisk } from '../../images/import.js';
import { nonEmpty } from '../../parse.js';

export const command = defineCommand({
  name: 'import',
  summary: 'Make an image of a disk of your own, for the engine qemu',
  details: [
    'The disk is copied; computers made from the image write to layers of their own above it. Screen,',
    'mouse and keyboard work with any system. Commands need an SSH server in it that lets the user',
    'in with the key and whose shell is bash; without one say --no-shell. Its network is set up by',
    'DHCP. Licences of what is on it are yours to have.',
  ].join(' '),
  arguments: {
    name: argument('name', 'name of the image', nonEmpty),
    disk: argument('disk', 'disk file: qcow2, raw, vmdk, vdi or vhdx', nonEmpty, {
      completes: 'file',
    }),
  },
  options: {
    os: choice('--os <name>', 'system on it', ['linux', 'windows'], { otherwise: 'linux' }),
    sshUser: value('--ssh-user <name>', 'user that commands run as', nonEmpty),
    sshKey: value('--ssh-key <file>', 'private key that lets the user in', nonEmpty),
    shell: flag('--no-shell', 'it has no SSH server'),
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
  async run(context, { name, disk }, { os, sshUser, sshKey, shell, firmware }) {
    const hasLogin = sshUser !== undefined && sshKey !== undefined;
    if (hasLogin === !shell || (sshUser === undefined) !== (sshKey === undefined)) {
      throw new UsageError(
        'say how commands are to run in it',
        'give --ssh-user and --ssh-key, or --no-shell where it has no SSH server',
      );
    }
    return importDisk(context, {
      ...{ name, os: os ?? 'linux', firmware: firmware ?? 'bios' },
      disk: resolve(context.cwd, disk),
      login: hasLogin ? { user: sshUser, keyFile: resolve(context.cwd, sshKey) } : undefined,
    });
  },
});
