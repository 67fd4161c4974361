import type { DiskSource, MachineSpec } from '../../engines/engine.js';
import { hostNameOf } from '../../lib/text/host-name.js';
import type { ComputerRecord, MountedVolume } from '../store/records.js';

/** The specification from which an engine creates the computer's machine. */
export function machineSpec(record: ComputerRecord): MachineSpec {
  return {
    id: record.id,
    ownerId: record.owner_id,
    projectId: record.project_id,
    os: record.os,
    image: record.image,
    cpu: record.cpu,
    ram: record.ram,
    gpu: record.gpu,
    resolution: { width: record.width, height: record.height },
    authorizedKey: record.public_key,
    hostName: hostNameOf(record.name),
    placement: placementOf(record),
    sudo: record.sudo === 1,
    from: diskSource(record.source),
    ...(record.volumes === NO_VOLUMES
      ? {}
      : {
          volumes: mountsOf(record).map(({ id, path, read_only }) => ({
            ...{ id, path },
            readOnly: read_only,
          })),
        }),
  };
}

/** {@link ComputerRecord.volumes} without one. */
export const NO_VOLUMES = '[]';

/** The volumes that a computer mounts. */
export function mountsOf({ volumes }: Pick<ComputerRecord, 'volumes'>): MountedVolume[] {
  return JSON.parse(volumes) as MountedVolume[];
}

/** Where the computer is to be created, as its owner wants it. */
export function placementOf({ member, member_group: group }: ComputerRecord) {
  if (member !== null) return { member };
  return group === null ? undefined : { group };
}

/** The saved disk with this id, as an engine needs it. */
export function diskSource(id: string | null): DiskSource | undefined {
  return id === null ? undefined : { id, kind: id.startsWith('img_') ? 'image' : 'snapshot' };
}
