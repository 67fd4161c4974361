import { z } from 'zod';
import { ProjectName, Timestamp } from '../primitives.js';
import { Computer } from './computers.js';

export const Project = z
  .object({
    id: z
      .string()
      .meta({ description: 'Id of the project.', examples: ['prj_2m9q4w8e1r6t5y0b7f3k'] }),
    name: z.string().meta({ description: 'Unique for its owner.', examples: ['demo'] }),
    user_id: z
      .string()
      .meta({ description: 'Id of the owner.', examples: ['usr_9q4w8e1r6t5y0b7f3k2m'] }),
    status: z.string().meta({
      description: '`active`, or `deleting` while its computers are being removed.',
      examples: ['active'],
    }),
    computer_count: z
      .number()
      .int()
      .meta({ description: 'Number of computers.', examples: [1] }),
    created_at: Timestamp.describe('When the project was created.'),
    updated_at: Timestamp.describe('When the project or its list of computers was last changed.'),
  })
  .meta({ id: 'Project', description: 'A group of computers.' });

export const ProjectWithComputers = Project.extend({
  computers: z.array(Computer).describe('Oldest first.'),
}).meta({ id: 'ProjectWithComputers', description: 'A project with its computers.' });

export const ProjectList = z
  .object({ projects: z.array(Project).describe('Oldest first.') })
  .meta({ id: 'ProjectList', description: 'Projects of the owner.' });

export const WorkspaceList = z
  .object({ workspaces: z.array(Project).describe('Oldest first.') })
  .meta({ id: 'WorkspaceList', description: 'Projects of the owner.' });

/** What happened to each computer of a project. */
export const ProjectAction = z
  .object({
    success: z.boolean().describe('True if no computer failed.'),
    computers: z
      .array(
        z.object({
          id: z
            .string()
            .meta({ description: 'Id of the computer.', examples: ['cmp_7f3k2m9q4w8e1r6t5y0b'] }),
          name: z.string().meta({ description: 'Name of the computer.', examples: ['desktop'] }),
          status: z.string().meta({ description: 'Its status now.', examples: ['running'] }),
          changed: z
            .boolean()
            .describe('False if the computer had that status already, or if it failed.'),
          error: z
            .string()
            .optional()
            .meta({
              description: 'Why it failed, in one line.',
              examples: ['2 computers are running, which is the limit.'],
            }),
          remedy: z
            .string()
            .optional()
            .meta({ description: 'What to do next.', examples: ['Stop another computer first.'] }),
        }),
      )
      .describe('Every computer of the project.'),
  })
  .meta({ id: 'ProjectAction', description: 'What happened to each computer of a project.' });

export const CreateProject = z
  .object({ name: ProjectName })
  .meta({ id: 'CreateProject', description: 'A project to create.' });

export const UpdateProject = z
  .object({ name: ProjectName.optional() })
  .meta({ id: 'UpdateProject', description: 'Changes; omitted fields keep their values.' });

export type Project = z.infer<typeof Project>;
export type ProjectWithComputers = z.infer<typeof ProjectWithComputers>;
export type CreateProject = z.infer<typeof CreateProject>;
export type UpdateProject = z.infer<typeof UpdateProject>;
