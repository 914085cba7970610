import { z } from 'zod'
import { queryWorkspace } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EndDate, StartDate } from './query-dates.ts'

/** How much was talked, what it cost and how well it went. */

const USAGE_GROUPS = ['day', 'agent', 'workspace'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** Longest range of one answer. */
export const USAGE_LIMIT_DAYS = 366

export const Usage = z
  .object({
    key: z.string().meta({ description: 'A UTC day (`2026-01-31`), an agent id or a workspace id.' }),
    calls: z.int(),
    chats: z.int(),
    minutes: z.number().meta({ description: 'Spoken minutes of the calls, to two decimals.' }),
    cost: z.number().meta({
      description:
        'US dollars to six decimals: what is charged for calls and the models of chats. Parts whose price is not known are left out.',
    }),
    successRate: z
      .number()
      .nullable()
      .meta({ description: 'Successful calls among those that were analysed, 0 to 1; null when none was.' }),
    latencyP50Ms: z
      .number()
      .nullable()
      .meta({
        description:
          'Median time from a message of a chat to the first text of its answer, and from the last word of a caller to the ' +
          'first sound of it, the latter worked out of the figures of each call; null without any.',
      }),
    latencyP95Ms: z.number().nullable().meta({ description: 'The time that 95 of 100 answers do not exceed.' }),
    errors: z.int().meta({ description: 'Calls that ended in an error and turns of chats that failed.' }),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

export const getUsage = defineOperation({
  name: 'getUsage',
  method: 'GET',
  path: '/api/usage',
  tag: 'Usage',
  summary: 'Read usage figures',
  description:
    'Figures of the calls and chats that began in the range, the last 30 days by default, sorted by key. Keys without ' +
    `any are left out. A range has at most ${USAGE_LIMIT_DAYS} days. Archived calls count as well.`,
  access: 'read',
  workspace: 'optional',
  query: z.object({
    workspaceId: queryWorkspace().meta({ description: 'Only this one; otherwise every workspace you reach.' }),
    startDate: StartDate.optional().meta({
      description: 'Only what began at or after this time; 30 days before the end when absent.',
    }),
    endDate: EndDate.optional().meta({
      description: 'Only what began at or before this time; a bare date includes its whole day; now when absent.',
    }),
    groupBy: z
      .enum(USAGE_GROUPS)
      .default('day')
      .meta({ description: 'What one entry stands for: a UTC day, an agent or a workspace.' }),
  }),
  status: 200,
  result: z.array(Usage),
})
