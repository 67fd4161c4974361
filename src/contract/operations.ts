import { z } from 'zod';
import * as sessions from './access/sessions.js';
import * as actions from './actions/actions.js';
import * as batch from './actions/batch.js';
import {
  ComputerUse,
  ComputerUseQuery,
  ComputerUseResult,
  ComputerUseTools,
} from './actions/computer-use.js';
import { EventsQuery } from './events.js';
import * as files from './files.js';
import * as jobs from './jobs.js';
import * as owners from './owners.js';
import { queryFlag } from './primitives.js';
import * as resources from './resources.js';
import { type OperationName, type Route, routes } from './routes.js';
import { Browser, OpenBrowser } from './sockets/browser.js';
import { CreateView, View } from './sockets/view.js';
import * as streams from './streams.js';

/** One operation of the interface. */
export interface Operation extends Route {
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** Part of the published interface, which never changes. */
  readonly published?: true;
  /** Answers without an API key. */
  readonly open?: true;
  /** For administrators; to other owners the path does not exist. */
  readonly administrators?: true;
}

/** Adds to each operation its route. */
function define<const O extends Record<OperationName, Omit<Operation, keyof Route>>>(
  operations: O,
) {
  const rows = Object.entries(operations) as [OperationName, O[OperationName]][];
  return Object.fromEntries(
    rows.map(([name, operation]) => [name, { ...routes[name], ...operation }]),
  ) as { readonly [N in OperationName]: (typeof routes)[N] & O[N] };
}

const { Computer, Project, ProjectAction, ProjectWithComputers } = resources;
const { Success } = actions;
/** `?wait=0` answers a creation or a start at once, with `status: "starting"`. */
const WaitQuery = z.object({
  wait: queryFlag('1').describe(
    'False: answers at once, with `status: "starting"`. True: when the computer can be used, or after 60 s.',
  ),
});

/** Every operation of the interface. Server routes, the client's types and /openapi.json follow from it. */
export const operations = define({
  health: {
    summary: 'Get the health of the service and its engines',
    response: resources.Health,
    open: true,
  },

  createProject: {
    summary: 'Create a project',
    body: resources.CreateProject,
    response: Project,
    published: true,
  },
  listProjects: {
    summary: 'List projects',
    response: resources.ProjectList,
  },
  getProject: {
    summary: 'Get a project with its computers',
    response: ProjectWithComputers,
  },
  updateProject: {
    summary: 'Rename a project',
    body: resources.UpdateProject,
    response: Project,
  },
  deleteProject: {
    summary: 'Delete a project and its computers',
    response: Success,
  },
  deleteProjectByPost: {
    summary: 'Delete a project and its computers',
    response: Success,
  },
  startProject: {
    summary: 'Start every computer of a project',
    response: ProjectAction,
  },
  stopProject: {
    summary: 'Stop every computer of a project',
    response: ProjectAction,
  },
  restartProject: {
    summary: 'Restart every computer of a project',
    response: ProjectAction,
  },

  listAllComputers: {
    summary: 'List the computers of all projects, page by page',
    query: resources.ComputersQuery,
    response: resources.ComputerPage,
  },
  createComputerIn: {
    summary: 'Create a computer in the given project and start it',
    query: WaitQuery,
    body: resources.CreateComputerIn,
    response: Computer,
  },
  createComputer: {
    summary: 'Create a computer and start it',
    query: WaitQuery,
    body: resources.CreateComputer,
    response: Computer,
    published: true,
  },
  listComputers: {
    summary: 'List the computers of a project',
    response: resources.ComputerList,
  },
  getComputer: {
    summary: 'Get a computer',
    response: Computer,
  },
  deleteComputer: {
    summary: 'Stop a computer and remove it with its data',
    response: Success,
    published: true,
  },
  updateComputer: {
    summary: 'Rename a computer, protect it, or change when it is stopped',
    body: resources.UpdateComputer,
    response: Computer,
  },
  startComputer: {
    summary: 'Start a computer',
    query: WaitQuery,
    response: Computer,
    published: true,
  },
  stopComputer: {
    summary: 'Stop a computer; its disk stays',
    response: Computer,
  },
  restartComputer: {
    summary: 'Stop and start a computer',
    query: WaitQuery,
    response: Computer,
  },
  forkComputer: {
    summary: 'Copy a computer with its disk and, where its engine can, its memory',
    query: WaitQuery,
    body: resources.ForkComputer,
    response: Computer,
  },
  getStats: {
    summary: 'Measure what a running computer uses',
    response: resources.ComputerStats,
  },

  screenshot: {
    summary: 'Take a screenshot',
    query: actions.ScreenshotQuery,
    response: actions.Screenshot,
    published: true,
  },
  thumbnail: {
    summary: 'Get a small JPEG of the screen',
    query: actions.ThumbnailQuery,
    response: z.unknown(),
  },
  getElements: {
    summary: 'List the elements on the screen: buttons, fields, links, texts',
    query: actions.ElementsQuery,
    response: actions.Elements,
  },
  findElements: {
    summary: 'Find elements on the screen by text, role or name',
    body: actions.FindElements,
    response: actions.Elements,
  },
  click: {
    summary: 'Click with the mouse',
    body: actions.Click,
    response: actions.ActionResult,
    published: true,
  },
  move: {
    summary: 'Move the mouse',
    body: actions.Move,
    response: actions.ActionResult,
  },
  drag: {
    summary: 'Press, move and release the mouse',
    body: actions.Drag,
    response: actions.ActionResult,
  },
  scroll: {
    summary: 'Turn the mouse wheel',
    body: actions.Scroll,
    response: actions.ActionResult,
  },
  type: {
    summary: 'Type a text',
    body: actions.Type,
    response: actions.ActionResult,
    published: true,
  },
  key: {
    summary: 'Press a key or a combination of keys',
    body: actions.Key,
    response: actions.ActionResult,
  },
  mouseDown: {
    summary: 'Press a mouse button and hold it',
    body: actions.MouseDown,
    response: actions.ActionResult,
  },
  mouseUp: {
    summary: 'Release a mouse button',
    body: actions.MouseUp,
    response: actions.ActionResult,
  },
  keyDown: {
    summary: 'Press a key or a combination of keys and hold it',
    body: actions.KeyDown,
    response: actions.ActionResult,
  },
  keyUp: {
    summary: 'Release a key or a combination of keys',
    body: actions.KeyUp,
    response: actions.ActionResult,
  },
  getCursor: {
    summary: 'Get the position of the mouse pointer',
    response: actions.CursorPosition,
  },
  getClipboard: {
    summary: 'Get the text of the clipboard',
    response: actions.Clipboard,
  },
  setClipboard: {
    summary: 'Set the text of the clipboard',
    body: actions.SetClipboard,
    response: Success,
  },
  bash: {
    summary: 'Run a command',
    body: actions.Bash,
    response: actions.BashResult,
  },
  exec: {
    summary: 'Run Python code',
    body: actions.Exec,
    response: actions.ExecResult,
  },
  wait: {
    summary: 'Wait for a time, or until the screen is stable or changes',
    body: actions.Wait,
    response: actions.WaitResult,
  },
  batch: {
    summary: 'Run several actions one after the other, until the first failure',
    body: batch.Batch,
    response: batch.BatchResult,
  },
  getComputerUse: {
    summary: "Get the declaration of the computer as a vendor's tool",
    query: ComputerUseQuery,
    response: ComputerUseTools,
  },
  computerUse: {
    summary: 'Carry out the calls of a model and answer them in its shape',
    body: ComputerUse,
    response: ComputerUseResult,
  },
  view: {
    summary: 'Make a single-use link to the live view',
    body: CreateView,
    response: View,
  },

  openBrowser: {
    summary: 'Open the browser for a program: Playwright, Puppeteer, Stagehand',
    body: OpenBrowser,
    response: Browser,
  },

  getControl: {
    summary: 'Get who has control of a computer',
    response: resources.ControlState,
  },
  takeControl: {
    summary: 'Take control of a computer, or renew it: input of all others is refused',
    body: resources.TakeControl,
    response: resources.ControlState,
  },
  releaseControl: {
    summary: 'Give control of a computer back',
    response: Success,
  },

  startTrajectory: {
    summary: 'Start to record the actions of a computer',
    body: resources.StartTrajectory,
    response: resources.Trajectory,
  },
  getTrajectory: {
    summary: 'Get the recorded actions of a computer',
    response: resources.Trajectory,
  },
  listTrajectorySteps: {
    summary: 'List the steps of a trajectory',
    query: resources.TrajectoryStepsQuery,
    response: resources.TrajectorySteps,
  },
  getTrajectoryPicture: {
    summary: 'Get a picture of a trajectory',
    response: z.unknown(),
  },
  endTrajectory: {
    summary: 'End the recording of actions',
    response: resources.Trajectory,
  },
  deleteTrajectory: {
    summary: 'Remove the recorded actions of a computer',
    response: Success,
  },

  listActions: {
    summary: 'List the audit log of a computer, newest first; it contains no texts',
    query: resources.ActionsQuery,
    response: resources.ActionList,
  },

  getMe: {
    summary: 'Get the owner of the API key and their limit of running computers',
    response: resources.Me,
  },
  getUsage: {
    summary: 'Get what was used, by day, API key and project',
    query: resources.UsageQuery,
    response: resources.UsageReport,
  },
  getEntry: {
    summary: 'Get the status of a file or directory',
    query: files.PathQuery,
    response: files.FileStatus,
  },
  removeEntry: {
    summary: 'Remove a file, link or directory',
    query: files.RemoveEntry,
    response: Success,
  },
  renameEntry: {
    summary: 'Rename or move a file, link or directory',
    body: files.RenameEntry,
    response: files.EntryRenamed,
  },
  listDirectory: {
    summary: 'List a directory',
    query: files.PathQuery,
    response: files.Directory,
  },
  makeDirectory: {
    summary: 'Make a directory',
    body: files.MakeDirectory,
    response: files.DirectoryMade,
  },
  makeLink: {
    summary: 'Make a symbolic link',
    body: files.MakeLink,
    response: files.LinkMade,
  },

  listJobs: {
    summary: 'List the commands that were started in the background',
    response: jobs.Jobs,
  },
  getJob: {
    summary: 'Get a background command with a part of its output',
    query: jobs.JobQuery,
    response: jobs.JobWithOutput,
  },
  endJob: {
    summary: "End a background command's process group",
    response: jobs.Job,
  },

  startStream: {
    summary: 'Stream the screen to an RTMP target',
    body: streams.StartStream,
    response: streams.StreamStarted,
  },
  streamStatus: {
    summary: 'Get the status of the stream',
    response: streams.StreamStatus,
  },
  stopStream: {
    summary: 'Stop streaming the screen',
    response: Success,
  },
  record: {
    summary: 'Record the screen as a streamed MP4 file',
    query: streams.RecordQuery,
    response: z.unknown(),
  },

  listConnections: {
    summary: 'List the targets of streams',
    response: streams.ConnectionList,
  },
  createConnection: {
    summary: 'Save an RTMP target; its stream key is never shown again',
    body: streams.CreateConnection,
    response: streams.Connection,
  },
  deleteConnection: {
    summary: 'Delete an RTMP target',
    response: Success,
  },

  listSecrets: {
    summary: 'List the secrets of a project, without their values',
    response: resources.SecretList,
  },
  setSecret: {
    summary: 'Set a secret of a project; its value is never shown again',
    body: resources.SetSecret,
    response: resources.Secret,
  },
  deleteSecret: {
    summary: 'Delete a secret of a project',
    response: Success,
  },

  listImages: {
    summary: 'List the machine images of every engine',
    response: resources.ImageList,
  },

  streamEvents: {
    summary: 'Stream events of projects and computers, as server-sent events',
    query: EventsQuery,
    response: z.unknown(),
  },
  listAudit: {
    summary: "The owner's audit log, newest first, deleted computers included",
    query: resources.AuditQuery,
    response: resources.AuditLog,
  },

  listKeys: {
    summary: 'List API keys',
    response: resources.KeyList,
  },
  createKey: {
    summary: 'Create an API key; it is shown once',
    body: resources.CreateKey,
    response: resources.CreatedKey,
  },
  updateKey: {
    summary: 'Rename an API key, or change its rights or expiry',
    body: resources.UpdateKey,
    response: resources.Key,
  },
  deleteKey: {
    summary: 'Delete an API key',
    response: resources.RemovedKey,
  },

  createLogin: {
    summary: 'Make a single-use link to the web page, which logs in with this API key',
    response: sessions.Login,
  },
  createSession: {
    summary: 'Open a session of the web page with a link or an API key',
    body: sessions.CreateSession,
    response: sessions.Session,
    open: true,
  },
  getSession: {
    summary: 'Get the session of this request',
    response: sessions.Session,
  },
  endSession: {
    summary: 'End the session of this request',
    response: Success,
  },

  listMembers: {
    summary: 'List the members of the cluster; for administrators',
    response: resources.ClusterMemberList,
    administrators: true,
  },
  getMember: {
    summary: 'Get a member of the cluster; for administrators',
    response: resources.ClusterMember,
    administrators: true,
  },
  drainMember: {
    summary:
      'Move the computers of a member to others, and give it no new ones; for administrators',
    response: resources.ClusterMember,
    administrators: true,
  },
  returnMember: {
    summary: 'Let a drained member have computers again; for administrators',
    response: resources.ClusterMember,
    administrators: true,
  },

  listOwners: {
    summary: 'List owners; for administrators, like all of /owners',
    response: owners.OwnerList,
    administrators: true,
  },
  createOwner: {
    summary: 'Create an owner with a first API key, which is shown once',
    body: owners.CreateOwner,
    response: owners.CreatedOwner,
    administrators: true,
  },
  getOwner: {
    summary: 'Get an owner',
    response: owners.Owner,
    administrators: true,
  },
  updateOwner: {
    summary: "Change an owner's limit of running computers",
    body: owners.UpdateOwner,
    response: owners.Owner,
    administrators: true,
  },
  deleteOwner: {
    summary: 'Delete an owner with its keys; with force=1 also its projects and computers',
    query: owners.DeleteOwnerQuery,
    response: Success,
    administrators: true,
  },
  createOwnerKey: {
    summary: 'Create an API key of an owner, for example for a lost one; it is shown once',
    body: owners.CreateOwnerKey,
    response: resources.CreatedKey,
    administrators: true,
  },
  listOwnerAudit: {
    summary: "An owner's audit log, newest first; a deleted owner is named by its id",
    query: resources.AuditQuery,
    response: resources.AuditLog,
    administrators: true,
  },
});

export type Operations = typeof operations;
/** Operations on one computer, which answer under both forms of its address. */
export type ComputerOperation = {
  [N in OperationName]: Operations[N]['paths'][0] extends `/computers/:id${string}` ? N : never;
}[OperationName];

/** True for an operation on one computer. */
export function isComputerOperation({ paths }: Pick<Operation, 'paths'>): boolean {
  return paths[0].startsWith('/computers/:id');
}

type Part<O, K extends string> =
  O extends Record<K, infer S extends z.ZodType> ? S : z.ZodUndefined;

/** What a client sends: defaults may be left out. */
export type BodyInput<N extends OperationName> = z.input<Part<Operations[N], 'body'>>;
export type QueryInput<N extends OperationName> = z.input<Part<Operations[N], 'query'>>;
/** What a handler receives: validated, defaults filled in. */
export type Body<N extends OperationName> = z.output<Part<Operations[N], 'body'>>;
export type Query<N extends OperationName> = z.output<Part<Operations[N], 'query'>>;
export type Answer<N extends OperationName> = z.output<Operations[N]['response']>;
