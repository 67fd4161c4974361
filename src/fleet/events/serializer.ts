import type { ServiceEvent } from '../../contract/events.js';
import type { EventRow } from '../store/events/events.js';

/** An event as clients see it. The triggers of the schema and `add` of the store write `data`. */
export function serializeEvent(row: EventRow): ServiceEvent {
  const { type, at, project_id, project, computer_id, computer } = row;
  const data = JSON.parse(row.data) as object;
  const ids = { computer_id, computer, project_id, project };
  if (type === 'action') {
    const { entry, began_at, ...fields } = data as { entry: number; began_at: string };
    return { type, id: entry, at: began_at, ...fields, ...ids } as ServiceEvent;
  }
  if (type.startsWith('project.')) {
    return { type, at, id: project_id, name: project, ...data } as ServiceEvent;
  }
  if (type.startsWith('image.')) return { type, at, ...data } as ServiceEvent;
  if (type === 'job.exited' || type.startsWith('snapshot.'))
    return { type, at, ...ids, ...data } as ServiceEvent;
  return {
    type,
    at,
    id: computer_id,
    name: computer,
    project_id,
    project,
    ...data,
  } as ServiceEvent;
}
