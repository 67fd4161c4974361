import { look, manage } from '../access/rights.js';
import { CreateSession, Login, Session } from '../access/sessions.js';
import { Success } from '../primitives.js';
import { AuditLog, AuditQuery } from '../resources/audit.js';
import {
  CreatedKey,
  CreateKey,
  Key,
  KeyList,
  Me,
  RemovedKey,
  UpdateKey,
} from '../resources/keys.js';
import { UsageQuery, UsageReport } from '../resources/usage.js';
import type { Operations } from './operation.js';

export const accountOperations = {
  getMe: {
    method: 'GET',
    paths: ['/me'],
    tag: 'Account',
    summary: 'Get the owner of the API key and their limit of running computers',
    access: look.project,
    response: Me,
  },
  getUsage: {
    method: 'GET',
    paths: ['/usage'],
    tag: 'Account',
    summary: 'Get what was used, by day, API key and project',
    description: 'Written once a minute. 90 days are kept.',
    access: look.project,
    query: UsageQuery,
    response: UsageReport,
  },
  listAudit: {
    method: 'GET',
    paths: ['/audit'],
    tag: 'Account',
    summary: "The owner's audit log, newest first, deleted computers included",
    description: 'Entries are kept for 90 days, at most 200,000.',
    access: look.project,
    query: AuditQuery,
    response: AuditLog,
  },
  listKeys: {
    method: 'GET',
    paths: ['/keys'],
    tag: 'Account',
    summary: 'List API keys',
    access: manage.project,
    response: KeyList,
  },
  createKey: {
    method: 'POST',
    paths: ['/keys'],
    tag: 'Account',
    summary: 'Create an API key; it is shown once',
    description:
      'A key cannot create one with more rights, for more projects or for longer than its own; a key with a budget creates none. One with fewer rights, or for one project, cannot reuse a name that it sees.',
    access: manage.project,
    audit: 'key create',
    body: CreateKey,
    response: CreatedKey,
  },
  updateKey: {
    method: 'PATCH',
    paths: ['/keys/:key'],
    tag: 'Account',
    summary: 'Rename an API key, or change its rights, expiry or budgets',
    description:
      'Omitted fields keep their values. Fewer rights end what the key has open. Only a key with all rights changes names, to ones that no key has. A key with a budget changes none.',
    access: manage.project,
    audit: 'key update',
    body: UpdateKey,
    response: Key,
  },
  deleteKey: {
    method: 'DELETE',
    paths: ['/keys/:key'],
    tag: 'Account',
    summary: 'Delete an API key',
    description:
      'Ends the requests, live views, processes and tunnels that were opened with the key. Keys that it has made still work: the answer has them in `made`.',
    access: manage.project,
    audit: 'key rm',
    response: RemovedKey,
  },
  createLogin: {
    method: 'POST',
    paths: ['/logins'],
    tag: 'Account',
    summary: 'Make a single-use link to the web page, which logs in with this API key',
    description: 'The link works once, within five minutes.',
    access: look.project,
    audit: 'dashboard',
    response: Login,
  },
  createSession: {
    method: 'POST',
    paths: ['/sessions'],
    tag: 'Account',
    summary: 'Open a session of the web page with a link or an API key',
    description:
      'For the web page only: needs `Sec-Fetch-Site: same-origin`, or the Origin of the service, and no key. Sets a cookie that scripts cannot read. A link for another API key than the open session of the browser has is refused with `conflict`, and stays unused, unless `replace` is true. A session ends after 8 h and with its key.',
    access: 'open',
    audit: 'log in',
    body: CreateSession,
    response: Session,
  },
  getSession: {
    method: 'GET',
    paths: ['/sessions/current'],
    tag: 'Account',
    summary: 'Get the session of this request',
    access: look.project,
    response: Session,
  },
  endSession: {
    method: 'DELETE',
    paths: ['/sessions/current'],
    tag: 'Account',
    summary: 'End the session of this request',
    description: 'Also ends its WebSockets, and removes the cookie.',
    access: look.project,
    audit: 'log out',
    response: Success,
  },
} as const satisfies Operations;
