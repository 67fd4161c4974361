import { execa } from 'execa';
import { notThrottled, THROTTLE, type Throttle } from '../../network/throttle.js';
import { ENVIRONMENT } from '../process/command.js';

/** Throws `unsupported` if this host cannot throttle a network so; tried in a namespace of its own. */
export async function checkThrottle(throttle: Throttle): Promise<void> {
  const { egress, ingress } = throttle;
  if (egress === '') return;
  const own = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const script = `${THROTTLE}try_throttle try0 try1 "$@"`;
  const { failed, stderr } = await execa(
    'unshare',
    [...own, '--net', '--', 'sh', '-c', script, 'vc-throttle', egress, ingress],
    { reject: false, env: ENVIRONMENT, extendEnv: false, timeout: 10_000 },
  );
  if (failed) throw notThrottled(throttle, stderr);
}
