import { z } from 'zod';
import { look } from '../access/rights.js';
import { EventsQuery, ServiceEvent } from '../events.js';
import { Health } from '../resources/health.js';
import { type Operations, requestHeader } from './operation.js';

export const serviceOperations = {
  health: {
    method: 'GET',
    paths: ['/health'],
    tag: 'Service',
    summary: 'Get the health of the service and its engines',
    description: 'Needs no key. Without one, `version` and `detail` are empty.',
    access: 'open',
    response: Health,
  },
  streamEvents: {
    method: 'GET',
    paths: ['/events'],
    tag: 'Events',
    summary: 'Stream events of projects and computers, as server-sent events',
    description:
      'The name of an event is its `type`, its data one line of JSON. With `Last-Event-ID` the stream continues after that event.',
    access: look.project,
    requestHeaders: [
      requestHeader(
        'Last-Event-ID',
        'Id of the last event that was received: the stream continues after it.',
        '3f7a9c21-42',
      ),
    ],
    query: EventsQuery,
    response: z.unknown(),
    media: { 'text/event-stream': ServiceEvent },
  },
} as const satisfies Operations;
