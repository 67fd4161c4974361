import { z } from 'zod';
import * as actions from './actions.js';
import * as batch from './batch.js';
import * as files from './files.js';
import * as jobs from './jobs.js';
import * as resources from './resources.js';
import * as streams from './streams.js';
import { CreateView, View } from './view.js';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One operation of the interface: the row of the contract, as data. */
export interface Operation {
  readonly method: Method;
  /** Paths relative to the base URL that answer it; the first is the one that clients use. */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** Part of the published interface, which never changes. */
  readonly published?: true;
  /** Answers without an API key. */
  readonly open?: true;
}

/** Both forms of a computer's address, with `rest` behind each. */
function computerPaths(rest: string): [string, string] {
  return [`/computers/:id${rest}`, `/projects/:project/computers/:computer${rest}`];
}

function define<const O extends Record<string, Operation>>(operations: O): O {
  return operations;
}

const { Computer, Project, ProjectWithComputers } = resources;
const { Success } = actions;
const ProjectAction = z.object({
  success: z.boolean(),
  computers: z.array(
    z.object({ id: z.string(), status: z.string(), error: z.string().optional() }),
  ),
});

/** `?wait=0` answers a creation or a start at once, with `status: "starting"`. */
const WaitQuery = z.object({
  wait: z
    .enum(['0', '1', 'false', 'true'], { error: 'must be 0 or 1' })
    .default('1')
    .transform((value) => value === '1' || value === 'true'),
});

/** Every operation of the interface. Server routes, the client's types and /openapi.json follow from it. */
export const operations = define({
  health: {
    method: 'GET',
    paths: ['/health'],
    summary: 'Is the service up, and which engines can it use',
    response: resources.Health,
    open: true,
  },

  createProject: {
    method: 'POST',
    paths: ['/projects'],
    summary: 'Create a project',
    body: resources.CreateProject,
    response: Project,
    published: true,
  },
  listProjects: {
    method: 'GET',
    paths: ['/projects'],
    summary: 'List projects',
    response: z.object({ projects: z.array(Project) }),
  },
  getProject: {
    method: 'GET',
    paths: ['/projects/:project', '/projects/by-name/:project'],
    summary: 'Get a project with its computers',
    response: ProjectWithComputers,
  },
  deleteProject: {
    method: 'DELETE',
    paths: ['/projects/:project'],
    summary: 'Delete a project and its computers',
    response: Success,
  },
  deleteProjectByPost: {
    method: 'POST',
    paths: ['/projects/:project/delete'],
    summary: 'Delete a project and its computers',
    response: Success,
  },
  startProject: {
    method: 'POST',
    paths: ['/projects/:project/start'],
    summary: 'Start every computer of a project',
    response: ProjectAction,
  },
  stopProject: {
    method: 'POST',
    paths: ['/projects/:project/stop'],
    summary: 'Stop every computer of a project',
    response: ProjectAction,
  },
  restartProject: {
    method: 'POST',
    paths: ['/projects/:project/restart'],
    summary: 'Restart every computer of a project',
    response: ProjectAction,
  },

  createComputer: {
    method: 'POST',
    paths: ['/projects/:project/computers'],
    summary: 'Create a computer and start it',
    query: WaitQuery,
    body: resources.CreateComputer,
    response: Computer,
    published: true,
  },
  listComputers: {
    method: 'GET',
    paths: ['/projects/:project/computers'],
    summary: 'List the computers of a project',
    response: z.object({ computers: z.array(Computer) }),
  },
  getComputer: {
    method: 'GET',
    paths: computerPaths(''),
    summary: 'Get a computer',
    response: Computer,
  },
  deleteComputer: {
    method: 'DELETE',
    paths: computerPaths(''),
    summary: 'Stop a computer and remove it with its data',
    response: Success,
    published: true,
  },
  updateComputer: {
    method: 'PATCH',
    paths: computerPaths(''),
    summary: 'Rename a computer, protect it, or change when it is stopped',
    body: resources.UpdateComputer,
    response: Computer,
  },
  startComputer: {
    method: 'POST',
    paths: computerPaths('/start'),
    summary: 'Start a computer',
    query: WaitQuery,
    response: Computer,
    published: true,
  },
  stopComputer: {
    method: 'POST',
    paths: computerPaths('/stop'),
    summary: 'Stop a computer; its disk stays',
    response: Computer,
  },
  restartComputer: {
    method: 'POST',
    paths: computerPaths('/restart'),
    summary: 'Stop and start a computer',
    query: WaitQuery,
    response: Computer,
  },
  forkComputer: {
    method: 'POST',
    paths: computerPaths('/fork'),
    summary: 'Copy a computer with its disk and, when it runs, its memory',
    query: WaitQuery,
    body: resources.ForkComputer,
    response: Computer,
  },

  screenshot: {
    method: 'GET',
    paths: computerPaths('/screenshot'),
    summary: 'Take a picture of the screen',
    query: actions.ScreenshotQuery,
    response: actions.Screenshot,
    published: true,
  },
  click: {
    method: 'POST',
    paths: computerPaths('/click'),
    summary: 'Click with the mouse',
    body: actions.Click,
    response: actions.ActionResult,
    published: true,
  },
  move: {
    method: 'POST',
    paths: computerPaths('/move'),
    summary: 'Move the mouse',
    body: actions.Move,
    response: actions.ActionResult,
  },
  drag: {
    method: 'POST',
    paths: computerPaths('/drag'),
    summary: 'Press, move and release the mouse',
    body: actions.Drag,
    response: actions.ActionResult,
  },
  scroll: {
    method: 'POST',
    paths: computerPaths('/scroll'),
    summary: 'Turn the mouse wheel',
    body: actions.Scroll,
    response: actions.ActionResult,
  },
  type: {
    method: 'POST',
    paths: computerPaths('/type'),
    summary: 'Type a text',
    body: actions.Type,
    response: actions.ActionResult,
    published: true,
  },
  key: {
    method: 'POST',
    paths: computerPaths('/key'),
    summary: 'Press a key or a combination of keys',
    body: actions.Key,
    response: actions.ActionResult,
  },
  bash: {
    method: 'POST',
    paths: computerPaths('/bash'),
    summary: 'Run a command',
    body: actions.Bash,
    response: actions.BashResult,
  },
  exec: {
    method: 'POST',
    paths: computerPaths('/exec'),
    summary: 'Run Python code',
    body: actions.Exec,
    response: actions.ExecResult,
  },
  wait: {
    method: 'POST',
    paths: computerPaths('/wait'),
    summary: 'Wait for a time, or until the screen is stable or changes',
    body: actions.Wait,
    response: actions.WaitResult,
  },
  batch: {
    method: 'POST',
    paths: computerPaths('/batch'),
    summary: 'Run several actions one after the other, until the first failure',
    body: batch.Batch,
    response: batch.BatchResult,
  },
  view: {
    method: 'POST',
    paths: computerPaths('/view'),
    summary: 'Make a single-use link to the live view',
    body: CreateView,
    response: View,
  },

  listActions: {
    method: 'GET',
    paths: computerPaths('/actions'),
    summary: 'Who did what to a computer, the latest first; lengths of texts, never the texts',
    query: resources.ActionsQuery,
    response: z.object({ actions: z.array(resources.Action) }),
  },

  getMe: {
    method: 'GET',
    paths: ['/me'],
    summary: 'Whose key this is, and how many computers its owner may run',
    response: resources.Me,
  },
  getEntry: {
    method: 'GET',
    paths: computerPaths('/entry'),
    summary: 'Look at a file or directory',
    query: files.PathQuery,
    response: files.FileStatus,
  },
  listDirectory: {
    method: 'GET',
    paths: computerPaths('/directory'),
    summary: 'List a directory',
    query: files.PathQuery,
    response: files.Directory,
  },
  makeDirectory: {
    method: 'POST',
    paths: computerPaths('/directory'),
    summary: 'Make a directory',
    body: files.MakeDirectory,
    response: files.DirectoryMade,
  },
  makeLink: {
    method: 'POST',
    paths: computerPaths('/link'),
    summary: 'Make a symbolic link',
    body: files.MakeLink,
    response: files.LinkMade,
  },

  listJobs: {
    method: 'GET',
    paths: computerPaths('/jobs'),
    summary: 'List the commands that were started in the background',
    response: jobs.Jobs,
  },
  getJob: {
    method: 'GET',
    paths: computerPaths('/jobs/:job'),
    summary: 'Get a background command with a part of its output',
    query: jobs.JobQuery,
    response: jobs.JobWithOutput,
  },
  endJob: {
    method: 'POST',
    paths: computerPaths('/jobs/:job/end'),
    summary: "End a background command's process group",
    response: jobs.Job,
  },

  startStream: {
    method: 'POST',
    paths: computerPaths('/stream/start'),
    summary: 'Stream the screen to an RTMP target',
    body: streams.StartStream,
    response: streams.StreamStarted,
  },
  streamStatus: {
    method: 'GET',
    paths: computerPaths('/stream/status'),
    summary: 'Say whether the screen is being streamed',
    response: streams.StreamStatus,
  },
  stopStream: {
    method: 'POST',
    paths: computerPaths('/stream/stop'),
    summary: 'Stop streaming the screen',
    response: Success,
  },
  record: {
    method: 'GET',
    paths: computerPaths('/record'),
    summary: 'Film the screen: answers with an MP4 file while it is made',
    query: streams.RecordQuery,
    response: z.unknown(),
  },

  listConnections: {
    method: 'GET',
    paths: ['/connections'],
    summary: 'List the targets of streams',
    response: z.object({ connections: z.array(streams.Connection) }),
  },
  createConnection: {
    method: 'POST',
    paths: ['/connections'],
    summary: 'Keep an RTMP target; its stream key is never shown again',
    body: streams.CreateConnection,
    response: streams.Connection,
  },
  deleteConnection: {
    method: 'DELETE',
    paths: ['/connections/:name'],
    summary: 'Forget an RTMP target',
    response: Success,
  },

  listKeys: {
    method: 'GET',
    paths: ['/keys'],
    summary: 'List API keys',
    response: z.object({ keys: z.array(resources.Key) }),
  },
  createKey: {
    method: 'POST',
    paths: ['/keys'],
    summary: 'Create an API key; it is shown once',
    body: resources.CreateKey,
    response: resources.CreatedKey,
  },
  deleteKey: {
    method: 'DELETE',
    paths: ['/keys/:key'],
    summary: 'Delete an API key',
    response: Success,
  },
});

export type Operations = typeof operations;
export type OperationName = keyof Operations;
type Part<O, K extends string> =
  O extends Record<K, infer S extends z.ZodType> ? S : z.ZodUndefined;

/** What a client sends: defaults may be left out. */
export type BodyInput<N extends OperationName> = z.input<Part<Operations[N], 'body'>>;
export type QueryInput<N extends OperationName> = z.input<Part<Operations[N], 'query'>>;
/** What a handler receives: validated, defaults filled in. */
export type Body<N extends OperationName> = z.output<Part<Operations[N], 'body'>>;
export type Query<N extends OperationName> = z.output<Part<Operations[N], 'query'>>;
export type Answer<N extends OperationName> = z.output<Operations[N]['response']>;
