import { act } from '../access/rights.js';
import { Success } from '../primitives.js';
import {
  CreatedPublication,
  CreatePublication,
  PublicationList,
} from '../resources/publications.js';
import { computerPaths, type Operations } from './operation.js';

export const publicationsOperations = {
  createPublication: {
    method: 'POST',
    paths: computerPaths('/publications'),
    tag: 'Network',
    summary: 'Give a port of a computer an address, for HTTP and WebSockets',
    description:
      'Browsers open `link`. The first visit exchanges its ticket for a cookie of that host; programs can send the ticket as `Authorization: Bearer` instead. It ends when it is deleted, at its expiry, with the computer, and with the API key that created it.',
    access: act.project,
    audit: 'publish',
    body: CreatePublication,
    response: CreatedPublication,
  },
  listPublications: {
    method: 'GET',
    paths: ['/publications'],
    tag: 'Network',
    summary: 'List the published ports of all computers',
    access: act.project,
    response: PublicationList,
  },
  deletePublication: {
    method: 'DELETE',
    paths: computerPaths('/publications/:port'),
    tag: 'Network',
    summary: 'End a publication, with its open connections',
    access: act.project,
    audit: 'unpublish',
    response: Success,
  },
} as const satisfies Operations;
