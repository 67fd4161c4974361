import { z } from 'zod';
import { act, look, manage } from '../access/rights.js';
import { queryFlag, Success } from '../primitives.js';
import { ActionList, ActionsQuery } from '../resources/audit.js';
import {
  ComputersFilter,
  ComputersQuery,
  CreateComputer,
  CreateComputerIn,
  ForkAnswer,
  ForkComputer,
  UpdateComputer,
} from '../resources/computer-requests.js';
import { Computer, ComputerList, ComputerPage, ComputerStats } from '../resources/computers.js';
import { NetworkReport } from '../resources/network.js';
import { computerPaths, type Operations } from './operation.js';

/** `?wait=0` answers a creation or a start at once, with `status: "starting"`. */
export const WaitQuery = z.object({
  wait: queryFlag('1').describe(
    'False: answers at once, with `status: "starting"`. True: when the computer can be used, or after 60 s.',
  ),
});

export const computersOperations = {
  listAllComputers: {
    method: 'GET',
    paths: ['/computers'],
    tag: 'Computers',
    summary: 'List the computers of all projects, page by page',
    description:
      'The oldest first. Continue with the `next_cursor` of the answer until it is null.',
    access: look.project,
    query: ComputersQuery,
    response: ComputerPage,
  },
  createComputerIn: {
    method: 'POST',
    paths: ['/computers'],
    tag: 'Computers',
    summary: 'Create a computer in the given project and start it',
    description: 'The same as `createComputer`, with the project in the body.',
    access: manage.project,
    audit: 'create',
    idempotent: true,
    query: WaitQuery,
    body: CreateComputerIn,
    response: Computer,
  },
  createComputer: {
    method: 'POST',
    paths: ['/projects/:project/computers'],
    tag: 'Computers',
    summary: 'Create a computer and start it',
    description: 'Answers when the computer can be used, or after 60 s with the status `starting`.',
    access: manage.project,
    audit: 'create',
    published: true,
    idempotent: true,
    query: WaitQuery,
    body: CreateComputer,
    response: Computer,
  },
  listComputers: {
    method: 'GET',
    paths: ['/projects/:project/computers'],
    tag: 'Computers',
    summary: 'List the computers of a project',
    access: look.project,
    query: ComputersFilter,
    response: ComputerList,
  },
  getComputer: {
    method: 'GET',
    paths: computerPaths(''),
    tag: 'Computers',
    summary: 'Get a computer',
    access: look.project,
    response: Computer,
  },
  deleteComputer: {
    method: 'DELETE',
    paths: computerPaths(''),
    tag: 'Computers',
    summary: 'Stop a computer and remove it with its data',
    description: 'Its disk is deleted. Fails if the computer is protected.',
    access: manage.project,
    audit: 'rm',
    published: true,
    response: Success,
  },
  updateComputer: {
    method: 'PATCH',
    paths: computerPaths(''),
    tag: 'Computers',
    summary:
      'Change the name, size, labels, variables or protection of a computer, or when it is stopped or deleted',
    description:
      'Omitted fields keep their values. `pending` in the answer names what the machine has from its next start on.',
    access: manage.project,
    audit: 'update',
    body: UpdateComputer,
    response: Computer,
  },
  startComputer: {
    method: 'POST',
    paths: computerPaths('/start'),
    aliases: computerPaths('/ensure-running'),
    tag: 'Computers',
    summary: 'Start a computer',
    description: 'Has no effect on a computer that runs.',
    access: act.project,
    audit: 'start',
    published: true,
    query: WaitQuery,
    response: Computer,
  },
  stopComputer: {
    method: 'POST',
    paths: computerPaths('/stop'),
    tag: 'Computers',
    summary: 'Stop a computer; its disk stays',
    description: 'Has no effect on a computer that is stopped.',
    access: act.project,
    audit: 'stop',
    response: Computer,
  },
  restartComputer: {
    method: 'POST',
    paths: computerPaths('/restart'),
    tag: 'Computers',
    summary: 'Stop and start a computer',
    access: act.project,
    audit: 'restart',
    query: WaitQuery,
    response: Computer,
  },
  forkComputer: {
    method: 'POST',
    paths: computerPaths('/fork'),
    tag: 'Computers',
    summary: 'Copy a computer, or one of its snapshots, once or several times',
    description:
      'The copies of a running computer run, and have its memory on the engine `qemu`; those of a stopped one are stopped. With `names` answers `{computers: [...]}`: all of them are made, or none.',
    access: manage.project,
    audit: 'fork',
    idempotent: true,
    query: WaitQuery,
    body: ForkComputer,
    response: ForkAnswer,
  },
  getStats: {
    method: 'GET',
    paths: computerPaths('/stats'),
    tag: 'Computers',
    summary: 'Measure what a running computer uses',
    description: 'Does not count as use of the computer.',
    access: look.project,
    response: ComputerStats,
  },
  getNetwork: {
    method: 'GET',
    paths: computerPaths('/network'),
    tag: 'Computers',
    summary: 'Show what a computer may reach, and the names that it was refused',
    description: 'Does not count as use of the computer.',
    access: look.project,
    response: NetworkReport,
  },
  listActions: {
    method: 'GET',
    paths: computerPaths('/actions'),
    tag: 'Computers',
    summary: 'List the audit log of a computer, newest first; it contains no texts',
    access: look.project,
    query: ActionsQuery,
    response: ActionList,
  },
} as const satisfies Operations;
