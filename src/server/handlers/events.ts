import { EventStream } from '../http/event-stream.js';
import { ByteStream } from '../requests.js';
import type { Handlers } from './handlers.js';

export const eventHandlers: Pick<Handlers, 'streamEvents'> = {
  streamEvents: ({ fleet, owner, query, headers }) => {
    const id = headers['last-event-id'];
    const subscription = fleet.events.subscribe(owner, query, id === undefined ? id : String(id));
    const stream = new EventStream(subscription, (added) => fleet.events.onAdded(owner, added));
    return new ByteStream(stream, 'text/event-stream', { isEndless: true });
  },
};
