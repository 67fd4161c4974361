import type { ServiceEvent } from '../../../contract/index.js';
import { printable } from '../../../lib/text/printable.js';
import { commandOf } from '../audit-columns.js';
import { localTime } from '../time/relative-time.js';

/** An event on one line: for a person in columns with local time, else with tabs between. */
export function eventLine(event: ServiceEvent, isForPerson: boolean): string {
  const parts = [event.type, subjectOf(event), detailOf(event)];
  if (!isForPerson) return [event.at, ...parts].map(printable).join('\t');
  const [type = '', subject = '', detail = ''] = parts.map(printable);
  return `${localTime(new Date(event.at))}  ${type.padEnd(16)}  ${subject.padEnd(20)}  ${detail}`.trimEnd();
}

function subjectOf(event: ServiceEvent): string {
  if (event.type === 'reset') return '';
  if (event.type === 'image.created' || event.type === 'image.deleted') return event.name;
  const isOfSnapshot = event.type === 'snapshot.created' || event.type === 'snapshot.deleted';
  const name = 'name' in event && !isOfSnapshot ? event.name : event.computer;
  const project = 'project' in event ? event.project : null;
  return [project, name].filter((part) => part !== null).join('/');
}

function detailOf(event: ServiceEvent): string {
  switch (event.type) {
    case 'computer.created':
      return event.status;
    case 'computer.status':
      return `${event.previous} -> ${event.status}${event.reason === null ? '' : `: ${event.reason}`}`;
    case 'computer.deleted':
      return event.reason ?? '';
    case 'snapshot.created':
    case 'snapshot.deleted':
      return event.name;
    case 'job.exited':
      return `${event.id} ${event.exit_code === null ? 'was lost' : `exited with ${event.exit_code}`}`;
    case 'action':
      return `${commandOf(event)} ${event.outcome} (${event.ms} ms)`;
    case 'reset':
      return event.reason;
    default:
      return '';
  }
}
