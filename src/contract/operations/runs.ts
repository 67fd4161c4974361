import { z } from 'zod';
import { look, manage } from '../access/rights.js';
import { Success } from '../primitives.js';
import { CreateRun, Run, RunList, UpdateRunTask } from '../resources/runs.js';
import { BYTES, type Operations } from './operation.js';

export const runsOperations = {
  listRuns: {
    method: 'GET',
    paths: ['/runs'],
    tag: 'Runs',
    summary: "List the owner's runs with their tasks",
    access: look.owner,
    response: RunList,
  },
  createRun: {
    method: 'POST',
    paths: ['/runs'],
    tag: 'Runs',
    summary: 'Create a run, whose tasks wait',
    description:
      '`vc run` shows a run here, and runs its tasks itself. The oldest runs are deleted so that those of an owner have at most 2,000 tasks.',
    access: manage.owner,
    audit: 'run',
    body: CreateRun,
    response: Run,
  },
  getRun: {
    method: 'GET',
    paths: ['/runs/:run'],
    tag: 'Runs',
    summary: 'Get a run with its tasks',
    access: look.owner,
    response: Run,
  },
  updateRunTask: {
    method: 'PUT',
    paths: ['/runs/:run/tasks/:task'],
    tag: 'Runs',
    summary: 'Set the state of a task, and its picture',
    access: manage.owner,
    audit: 'run',
    body: UpdateRunTask,
    response: Success,
  },
  getRunPicture: {
    method: 'GET',
    paths: ['/runs/:run/tasks/:task/picture'],
    tag: 'Runs',
    summary: 'Get the picture of a task',
    description: 'Answers JPEG.',
    access: look.owner,
    response: z.unknown(),
    media: { 'image/jpeg': BYTES },
  },
} as const satisfies Operations;
