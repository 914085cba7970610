import { z } from 'zod'
import { WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'

/** How many calls a workspace may hold at once. */

export const Concurrency = z
  .object({
    maxConcurrent: z.int().meta({ description: 'Calls that may be live at once, purchased ones included.' }),
    currentUsage: z.int().meta({ description: 'Calls that are live now. Chats do not count.' }),
    purchasedConcurrency: z.int(),
    concurrencyPurchaseLimit: z.int(),
  })
  .meta({ id: 'Concurrency' })
export type Concurrency = z.infer<typeof Concurrency>

export const getConcurrency = defineOperation({
  name: 'getConcurrency',
  method: 'GET',
  path: '/api/concurrency',
  tag: 'Concurrency',
  summary: 'Read the concurrency limit and its use',
  description: 'How many calls may be live at once in the workspace and how many are.',
  access: 'read',
  workspace: 'query',
  query: WorkspaceQuery,
  status: 200,
  result: Concurrency,
})
