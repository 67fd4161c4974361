import { browserHandlers } from '../browser/handler.js';
import { keyHandlers } from './accounts/keys.js';
import { ownerHandlers } from './accounts/owners.js';
import { sessionHandlers } from './accounts/sessions.js';
import { actionHandlers } from './actions.js';
import { computerHandlers } from './computers.js';
import { clusterHandlers } from './engines/cluster.js';
import { imageHandlers } from './engines/images.js';
import { eventHandlers } from './events.js';
import { fileHandlers } from './files.js';
import type { Handlers } from './handlers.js';
import { jobHandlers } from './jobs.js';
import { projectHandlers } from './projects.js';
import { publicationHandlers } from './publications.js';
import { runHandlers } from './runs.js';
import { snapshotHandlers } from './snapshots.js';
import { streamHandlers } from './streams.js';
import { viewHandlers } from './view.js';
import { volumeHandlers } from './volumes.js';
import { webhookHandlers } from './webhooks.js';

/** The handler of each operation; the type requires that none is missing. */
export const handlers: Handlers = {
  ...projectHandlers,
  ...clusterHandlers,
  ...computerHandlers,
  ...actionHandlers,
  ...browserHandlers,
  ...eventHandlers,
  ...fileHandlers,
  ...imageHandlers,
  ...jobHandlers,
  ...keyHandlers,
  ...ownerHandlers,
  ...publicationHandlers,
  ...runHandlers,
  ...sessionHandlers,
  ...snapshotHandlers,
  ...streamHandlers,
  ...viewHandlers,
  ...volumeHandlers,
  ...webhookHandlers,
};
