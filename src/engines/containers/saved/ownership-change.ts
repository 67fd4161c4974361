import type { ContainerCreateOptions } from 'dockerode';

/** Root needs no more to find files and to change their owners. */
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'];

/**
 * Its arguments are the old and the new id. The programs are those of the image, in which a guest may
 * have changed them: they run in a container without network.
 */
const SCRIPT = `
set -e
find / -xdev -uid "$1" -exec chown -h "$2" {} +
find / -xdev -gid "$1" -exec chgrp -h "$2" {} +
sed -i "s/^\\(user:[^:]*\\):$1:$1:/\\1:$2:$2:/" /etc/passwd
sed -i "s/^\\(user:[^:]*\\):$1:/\\1:$2:/" /etc/group
`;

/** A container that gives the files of the image's user another owner, and ends. */
export function ownershipChange(from: number, to: number): Partial<ContainerCreateOptions> {
  return {
    Entrypoint: ['/bin/sh', '-c', SCRIPT, 'sh', `${from}`, `${to}`],
    User: '0:0',
    WorkingDir: '/',
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      CapDrop: ['ALL'],
      CapAdd: CAPABILITIES,
      SecurityOpt: ['no-new-privileges'],
      Memory: 256 * 2 ** 20,
      MemorySwap: 256 * 2 ** 20,
      PidsLimit: 32,
    },
  };
}
