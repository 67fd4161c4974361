import type { Computer, Project } from '../../contract/resources.js';
import { viewPath } from '../../contract/sockets/view.js';
import type { Isolation } from '../../engines/engine.js';
import { pendingOf } from '../lifecycle/machine-size.js';
import { mountsOf, NO_VOLUMES } from '../lifecycle/machine-spec.js';
import type { ProjectRow } from '../store/projects.js';
import type { ComputerRecord } from '../store/records.js';

/** A project as clients see it. */
export function serializeProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    user_id: row.owner_id,
    status: row.deleting ? 'deleting' : 'active',
    computer_count: row.computer_count,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** A computer as clients see it, without its keys; `url` is relative to the base address. */
export function serializeComputer(
  record: ComputerRecord,
  isolation: Isolation,
): Omit<Computer, 'control' | 'env_names'> {
  const pending = pendingOf(record);
  return {
    id: record.id,
    name: record.name,
    os: record.os,
    ram: record.ram,
    cpu: record.cpu,
    gpu: record.gpu,
    status: record.status,
    ...(record.status_reason === null ? {} : { status_reason: record.status_reason }),
    project_id: record.project_id,
    project_name: record.project_name,
    created_at: record.created_at,
    started_at: record.started_at,
    url: viewPath(record.id),
    engine: record.engine,
    isolation,
    member: record.member,
    image: record.image,
    resolution: { width: record.width, height: record.height },
    ...(pending.length === 0 ? {} : { pending }),
    auto_stop_minutes: record.auto_stop_minutes,
    on_idle: record.on_idle,
    expires_at: record.expires_at,
    labels: JSON.parse(record.labels) as Computer['labels'],
    protected: record.protected === 1,
    timezone: record.timezone,
    locale: record.locale,
    sudo: record.sudo === 1,
    network: JSON.parse(record.network) as Computer['network'],
    ...(record.volumes === NO_VOLUMES
      ? {}
      : { volumes: mountsOf(record).map(({ id: _, ...mount }) => mount) }),
    created_by: creatorOf(record),
  };
}

function creatorOf({
  created_by: id,
  created_by_name: name,
  created_by_prefix: prefix,
}: ComputerRecord) {
  return id === null ? null : { id, name, prefix };
}
