import { z } from 'zod'
import { bodyWorkspace, clearable, integer, WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'

/** How many calls a workspace may hold at once. */

const PURCHASE_LIMIT = { description: 'The most that `purchasedConcurrency` may be.' }

export const Concurrency = z
  .object({
    maxConcurrent: z.int().meta({ description: 'Calls that may be live at once, purchased ones included.' }),
    currentUsage: z.int().meta({ description: 'Calls that are live now. Chats do not count.' }),
    purchasedConcurrency: z.int().meta({ description: 'The part of `maxConcurrent` that was purchased.' }),
    concurrencyPurchaseLimit: z.int().meta(PURCHASE_LIMIT),
  })
  .meta({ id: 'Concurrency' })
export type Concurrency = z.infer<typeof Concurrency>

/** What a new workspace may hold, and what `null` returns a field to. */
export const DEFAULT_CONCURRENCY = { base: 20, purchased: 0, purchaseLimit: 100 } as const

const Calls = integer(0, 10_000)

export const UpdateConcurrencyBody = z
  .object({
    workspaceId: bodyWorkspace(),
    baseConcurrency: clearable(Calls, () => DEFAULT_CONCURRENCY.base).meta({
      description: 'Calls at once without purchased ones; 20 by default.',
    }),
    purchasedConcurrency: clearable(Calls, () => DEFAULT_CONCURRENCY.purchased).meta({
      description: 'Calls at once beyond those; at most `concurrencyPurchaseLimit`, 0 by default.',
    }),
    concurrencyPurchaseLimit: clearable(Calls, () => DEFAULT_CONCURRENCY.purchaseLimit).meta({
      description: `${PURCHASE_LIMIT.description} Not less than it is; 100 by default.`,
    }),
  })
  .meta({
    id: 'UpdateConcurrencyBody',
    description: 'Absent fields stay as they are, null returns one to its default.',
  })
export type UpdateConcurrencyBody = z.output<typeof UpdateConcurrencyBody>

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

export const updateConcurrency = defineOperation({
  name: 'updateConcurrency',
  method: 'PATCH',
  path: '/api/concurrency',
  tag: 'Concurrency',
  summary: 'Change the concurrency limit',
  description: 'Live calls go on when the limit falls below their number; new ones are refused until there is room.',
  access: 'account',
  workspace: 'body',
  body: UpdateConcurrencyBody,
  status: 200,
  result: Concurrency,
})
