import type { CommandDefinition } from '../framework/define.js';
import type { CommandTree, Group, Load, Single } from '../framework/nodes.js';
import { shortForms } from './short-forms.js';

const groups: readonly Group[] = [
  {
    name: 'project',
    heading: 'Management commands',
    aliases: ['projects'],
    summary: 'Manage projects, which group computers',
    verbs: {
      create: () => import('./project/create.js'),
      ls: () => import('./project/ls.js'),
      get: () => import('./project/get.js'),
      use: () => import('./project/use.js'),
      start: () => import('./project/start.js'),
      stop: () => import('./project/stop.js'),
      restart: () => import('./project/restart.js'),
      rm: () => import('./project/rm.js'),
    },
  },
  {
    name: 'computer',
    heading: 'Management commands',
    aliases: ['computers'],
    summary: 'Create, control and manage computers',
    verbs: {
      create: () => import('./computer/create.js'),
      ls: () => import('./computer/ls.js'),
      get: () => import('./computer/get.js'),
      start: () => import('./computer/start.js'),
      stop: () => import('./computer/stop.js'),
      restart: () => import('./computer/restart.js'),
      rm: () => import('./computer/rm.js'),
      stats: () => import('./computer/stats.js'),
      history: () => import('./computer/history.js'),
      update: () => import('./computer/update.js'),
      fork: () => import('./computer/fork.js'),
      screenshot: () => import('./computer/screenshot.js'),
      click: () => import('./computer/click.js'),
      move: () => import('./computer/move.js'),
      drag: () => import('./computer/drag.js'),
      scroll: () => import('./computer/scroll.js'),
      type: () => import('./computer/type.js'),
      key: () => import('./computer/key.js'),
      open: () => import('./computer/open.js'),
      clipboard: () => import('./computer/clipboard.js'),
      wait: () => import('./computer/wait.js'),
      run: () => import('./computer/run.js'),
      view: () => import('./computer/view.js'),
      exec: () => import('./computer/exec.js'),
      bash: () => import('./computer/bash.js'),
      python: () => import('./computer/python.js'),
      shell: () => import('./computer/shell.js'),
      cp: () => import('./computer/cp.js'),
      forward: () => import('./computer/forward.js'),
      stream: () => import('./computer/stream.js'),
      record: () => import('./computer/record.js'),
    },
  },
  {
    name: 'job',
    heading: 'Management commands',
    aliases: ['jobs'],
    summary: 'Manage background commands of a computer',
    verbs: {
      ls: () => import('./job/ls.js'),
      get: () => import('./job/get.js'),
      logs: () => import('./job/logs.js'),
      end: () => import('./job/end.js'),
    },
  },
  {
    name: 'connection',
    heading: 'Management commands',
    aliases: ['connections'],
    summary: 'Manage RTMP targets for streams',
    verbs: {
      add: () => import('./connection/add.js'),
      ls: () => import('./connection/ls.js'),
      rm: () => import('./connection/rm.js'),
    },
  },
  {
    name: 'profile',
    heading: 'Management commands',
    aliases: ['profiles'],
    summary: 'Manage profiles: services and their API keys',
    verbs: {
      add: () => import('./profile/add.js'),
      use: () => import('./profile/use.js'),
      ls: () => import('./profile/ls.js'),
      get: () => import('./profile/get.js'),
      rm: () => import('./profile/rm.js'),
    },
  },
  {
    name: 'alias',
    heading: 'Management commands',
    aliases: ['aliases'],
    summary: 'Manage aliases: commands of your own',
    verbs: {
      set: withTree(() => import('./alias/set.js')),
      ls: () => import('./alias/ls.js'),
      rm: () => import('./alias/rm.js'),
    },
  },
  {
    name: 'key',
    heading: 'Management commands',
    aliases: ['keys'],
    summary: 'Manage API keys',
    verbs: {
      create: () => import('./key/create.js'),
      ls: () => import('./key/ls.js'),
      rm: () => import('./key/rm.js'),
    },
  },
  {
    name: 'owner',
    heading: 'Management commands',
    aliases: ['owners'],
    summary: 'Manage owners: users of the service with projects and keys of their own',
    verbs: {
      create: () => import('./owner/create.js'),
      ls: () => import('./owner/ls.js'),
      get: () => import('./owner/get.js'),
      set: () => import('./owner/set.js'),
      key: () => import('./owner/key.js'),
      rm: () => import('./owner/rm.js'),
    },
  },
  {
    name: 'service',
    heading: 'Management commands',
    summary: 'Manage the service of this machine',
    verbs: {
      status: () => import('./service/status.js'),
      logs: () => import('./service/logs.js'),
      stop: () => import('./service/stop.js'),
      restart: () => import('./service/restart.js'),
    },
  },
  {
    name: 'image',
    heading: 'Management commands',
    aliases: ['images'],
    summary: 'Manage machine images on this host',
    verbs: {
      build: () => import('./image/build.js'),
      import: () => import('./image/import.js'),
      warm: () => import('./image/warm.js'),
      ls: () => import('./image/ls.js'),
      rm: () => import('./image/rm.js'),
    },
  },
];

const singles: readonly Single[] = [
  { name: 'login', heading: 'Access', load: () => import('./login.js') },
  { name: 'whoami', heading: 'Access', load: () => import('./whoami.js') },
  { name: 'audit', heading: 'Access', load: () => import('./audit.js') },
  { name: 'setup', heading: 'Hosting', load: () => import('./setup.js') },
  { name: 'doctor', heading: 'Hosting', load: () => import('./doctor.js') },
  { name: 'serve', heading: 'Hosting', load: () => import('./serve.js') },
  { name: 'backup', heading: 'Hosting', load: () => import('./backup.js') },
  { name: 'restore', heading: 'Hosting', load: () => import('./restore.js') },
  { name: 'events', heading: 'More', load: () => import('./events.js') },
  { name: 'api', heading: 'More', load: () => import('./api.js') },
  { name: 'try', heading: 'More', load: () => import('./try.js') },
  { name: 'demo', heading: 'More', load: () => import('./demo.js') },
  { name: 'completion', heading: 'More', load: () => import('./completion.js') },
  { name: 'help', heading: 'More', load: withTree(() => import('./help.js')) },
  { name: '__generate', load: withTree(() => import('./generate.js')) },
];

/** All commands of `vc`. Help, parsing, completion and the manual are generated from this list. */
export const tree: CommandTree = [...shortForms(groups), ...groups, ...singles];

/** Loads a command that works on the tree itself. */
function withTree(
  load: () => Promise<{ readonly command: (tree: CommandTree) => CommandDefinition }>,
): Load {
  return async () => ({ command: (await load()).command(tree) });
}
