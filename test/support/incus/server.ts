/** The server of a test cluster's members: LXD, or Incus with VC_TEST_CLUSTER=incus. */
export interface ClusterServer {
  /** Of its directory below /var/lib, too. */
  readonly name: 'lxd' | 'incus';
  readonly title: string;
  readonly daemon: string;
  readonly client: string;
  /** Runs the set-up that joins a cluster; reads its answers from stdin. */
  readonly init: readonly [string, ...string[]];
  /** The variable that names its directory. */
  readonly directoryVariable: string;
}

const LXD: ClusterServer = {
  ...{ name: 'lxd', title: 'LXD', daemon: 'lxd', client: 'lxc' },
  ...{ init: ['lxd', 'init', '--preseed'], directoryVariable: 'LXD_DIR' },
};

const INCUS: ClusterServer = {
  ...{ name: 'incus', title: 'Incus', daemon: 'incusd', client: 'incus' },
  ...{ init: ['incus', 'admin', 'init', '--preseed'], directoryVariable: 'INCUS_DIR' },
};

export const server = process.env.VC_TEST_CLUSTER === 'incus' ? INCUS : LXD;

/** Debian has the daemon of Incus outside of the usual path. */
export function serverEnvironment() {
  const path = `${process.env.PATH}:/usr/sbin:/sbin:/usr/libexec/incus`;
  return { PATH: path, HOME: '/root', USER: 'root' };
}
