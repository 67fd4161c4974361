import type { Answer, Body, OperationName, Query } from '../contract/operations.js';
import { computerHandlers } from './handlers/computers.js';
import { controlHandlers } from './handlers/control.js';
import { fileHandlers } from './handlers/files.js';
import { jobHandlers } from './handlers/jobs.js';
import { keyHandlers } from './handlers/keys.js';
import { projectHandlers } from './handlers/projects.js';
import { streamHandlers } from './handlers/streams.js';
import { viewHandlers } from './handlers/view.js';
import type { ByteStream, Bytes, Call } from './requests.js';

export type Handler<N extends OperationName> = (
  call: Call<Body<N>, Query<N>>,
) => Answer<N> | Bytes | ByteStream | Promise<Answer<N> | Bytes | ByteStream>;

/** Operations that answer to a key; the open ones stand beside the app. */
export type Handlers = { [N in Exclude<OperationName, 'health'>]: Handler<N> };

/** What each operation of the contract does. The compiler sees to it that none is missing. */
export const handlers: Handlers = {
  ...projectHandlers,
  ...computerHandlers,
  ...controlHandlers,
  ...fileHandlers,
  ...jobHandlers,
  ...keyHandlers,
  ...streamHandlers,
  ...viewHandlers,
};
