import type Docker from 'dockerode';
import type { CheckResult, EngineCheck } from '../../descriptor.js';
import { ask, connectDocker, QUICK_MS } from '../client.js';
import { LABEL } from '../ids.js';
import { FrameReader } from '../machine/frames.js';
import { listGuards } from '../network/guard.js';
import { probeDocker } from '../probe.js';

/** Whether the firewall rules of all running computers are in force, with or without their service. */
export const firewallCheck: EngineCheck = {
  name: 'docker-firewall',
  title: 'Firewall rules',
  run: (_, signal) => checkFirewall(connectDocker(), signal),
};

export async function checkFirewall(docker: Docker, signal: AbortSignal): Promise<CheckResult> {
  if (!(await probeDocker(docker, signal)).usable) {
    return { status: 'skipped', detail: 'docker cannot be used' };
  }
  const machines = await ask(QUICK_MS, signal, (abortSignal) =>
    docker.listContainers({ filters: { label: [LABEL.service, LABEL.machine] }, abortSignal }),
  );
  if (machines.length === 0) return { status: 'skipped', detail: 'no computer runs' };
  const guards = (await listGuards(docker)).filter(({ State }) => State === 'running');
  const guarded = new Set(guards.map(({ Labels }) => Labels[LABEL.firewall]));
  const open = machines.filter(({ Labels }) => !guarded.has(Labels[LABEL.service]));
  if (open.length > 0) {
    const detail = `nothing keeps the rules of ${open.length} of ${machines.length} computers`;
    return { status: 'missing', detail, remedy: 'vc serve --detach' };
  }
  for (const { Id } of guards) {
    const [, reason] = / failed ?(.*)/.exec(await lastLine(docker, Id, signal)) ?? [];
    if (reason === undefined) continue;
    const detail = `computers are cut off, because their rules cannot be restored (${reason})`;
    return { status: 'missing', detail, remedy: 'sudo modprobe nf_tables' };
  }
  return { status: 'ok', detail: `in force for ${machines.length} running` };
}

async function lastLine(docker: Docker, id: string, signal: AbortSignal): Promise<string> {
  const raw = await ask(QUICK_MS, signal, (abortSignal) =>
    docker.getContainer(id).logs({ stdout: true, follow: false, tail: 1, abortSignal }),
  );
  const parts: Buffer[] = [];
  new FrameReader((_, data) => parts.push(data)).read(raw);
  return Buffer.concat(parts).toString();
}
