import { z } from 'zod';

const bytes = (description: string, example: number) =>
  z
    .number()
    .int()
    .nullable()
    .meta({ description: `${description}; null if it is not known.`, examples: [example] });

const MemberDrain = z
  .object({
    since: z.iso.datetime().describe('When it was requested.'),
    moving: z.string().nullable().describe('Id of the computer that is being moved.'),
    failed: z
      .array(
        z.object({
          id: z.string().meta({ description: 'Id of the computer.', examples: ['cmp_8k2m'] }),
          error: z.string().describe('Why it was not moved.'),
        }),
      )
      .describe(
        'Computers that could not be moved. They are tried again after a minute, and then after twice as long each time, up to an hour; at once when the member is drained again.',
      ),
  })
  .meta({ id: 'MemberDrain', description: 'How far a member is drained.' });

/** A machine of a cluster, which runs computers. */
export const ClusterMember = z
  .object({
    name: z.string().meta({ description: 'Name of the member.', examples: ['node1'] }),
    engine: z.string().describe('Engine that the cluster belongs to, for example `incus`.'),
    status: z
      .enum(['online', 'offline', 'evacuated', 'draining', 'drained'])
      .describe(
        '`offline`: it does not answer; its computers may run on. `evacuated`: the cluster gives it no computers. `draining`: the service moves its computers to others; `drained`: it has none left.',
      ),
    detail: z.string().meta({
      description: 'What the cluster says about the status, in one line.',
      examples: ['Fully operational'],
    }),
    address: z
      .string()
      .meta({ description: 'Host and port of the member.', examples: ['10.0.0.1:8443'] }),
    architecture: z.string().meta({ description: 'Processor architecture.', examples: ['x86_64'] }),
    groups: z
      .array(z.string().meta({ examples: ['default'] }))
      .describe('Groups of the cluster that it belongs to.'),
    cpu: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Number of cores; null if it is not known.', examples: [16] }),
    memory_used_bytes: bytes('Memory in use', 8589934592),
    memory_total_bytes: bytes('Memory', 68719476736),
    disk_used_bytes: bytes('Used space for disks of computers', 107374182400),
    disk_total_bytes: bytes('Space for disks of computers', 1099511627776),
    computer_count: z
      .number()
      .int()
      .meta({ description: 'Computers of the service on it, of all owners.', examples: [12] }),
    running_count: z
      .number()
      .int()
      .meta({ description: 'Those that run.', examples: [9] }),
    drain: MemberDrain.nullable().describe('Null for a member that may have computers.'),
  })
  .meta({ id: 'ClusterMember', description: 'A machine of a cluster, which runs computers.' });

export const ClusterMemberList = z
  .object({ members: z.array(ClusterMember).describe('By name.') })
  .meta({ id: 'ClusterMemberList', description: 'Members of the cluster.' });

export type ClusterMember = z.infer<typeof ClusterMember>;
export type ClusterMemberList = z.infer<typeof ClusterMemberList>;
