import { z } from 'zod'
import { bodyWorkspace, clearable, integer, WorkspaceQuery } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Limits of simultaneous calls in a workspace. */

const PURCHASE_LIMIT = { description: 'Maximum value of `purchasedConcurrency`.' }

export const Concurrency = z
  .object({
    maxConcurrent: z.int().meta({ description: 'Maximum number of simultaneous calls, including purchased ones.' }),
    currentUsage: z.int().meta({ description: 'Number of live calls. Chats do not count.' }),
    purchasedConcurrency: z.int().meta({ description: 'Purchased part of `maxConcurrent`.' }),
    concurrencyPurchaseLimit: z.int().meta(PURCHASE_LIMIT),
  })
  .meta({ id: 'Concurrency' })
export type Concurrency = z.infer<typeof Concurrency>

/** Limits of a new workspace. */
export const DEFAULT_CONCURRENCY = { base: 20, purchased: 0, purchaseLimit: 100 } as const

const Calls = integer(0, 10_000)

export const UpdateConcurrencyBody = z
  .object({
    workspaceId: bodyWorkspace(),
    baseConcurrency: clearable(Calls, () => DEFAULT_CONCURRENCY.base).meta({
      description: 'Simultaneous calls without purchased ones. Defaults to 20.',
    }),
    purchasedConcurrency: clearable(Calls, () => DEFAULT_CONCURRENCY.purchased).meta({
      description: 'Additional simultaneous calls, at most `concurrencyPurchaseLimit`. Defaults to 0.',
    }),
    concurrencyPurchaseLimit: clearable(Calls, () => DEFAULT_CONCURRENCY.purchaseLimit).meta({
      description: `${PURCHASE_LIMIT.description} Must be at least that value. Defaults to 100.`,
    }),
  })
  .meta({
    id: 'UpdateConcurrencyBody',
    description: 'Omitted fields keep their value; null resets a field to its default.',
  })
export type UpdateConcurrencyBody = z.output<typeof UpdateConcurrencyBody>

export const getConcurrency = defineOperation({
  name: 'getConcurrency',
  method: 'GET',
  path: '/api/concurrency',
  tag: 'Concurrency',
  summary: 'Get the concurrency limit',
  description: 'Returns the maximum and current number of live calls in the workspace.',
  access: 'read',
  query: WorkspaceQuery,
  result: Concurrency,
})

export const updateConcurrency = defineOperation({
  name: 'updateConcurrency',
  method: 'PATCH',
  path: '/api/concurrency',
  tag: 'Concurrency',
  summary: 'Update the concurrency limit',
  description:
    'Changes the limit. If the limit falls below the number of live calls, they continue and new calls are refused.',
  access: 'account',
  body: UpdateConcurrencyBody,
  result: Concurrency,
})
