import { z } from 'zod'
import { bodyWorkspace, clearable, integer, WorkspaceQuery } from './fields.ts'
import { defineDescribedObject, defineObject, PATCH_DESCRIPTION } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Limits on simultaneous calls in a workspace. */

const PURCHASE_LIMIT = 'Maximum value of `purchasedConcurrency`.'

export const Concurrency = defineObject('Concurrency', {
  maxConcurrent: z.int().describe('Maximum number of simultaneous calls, including purchased calls.'),
  currentUsage: z.int().describe('Number of live calls. Chats do not count.'),
  purchasedConcurrency: z.int().describe('Purchased part of `maxConcurrent`.'),
  concurrencyPurchaseLimit: z.int().describe(PURCHASE_LIMIT),
})
export type Concurrency = z.infer<typeof Concurrency>

/** Limits of a new workspace. */
export const DEFAULT_CONCURRENCY = { base: 20, purchased: 0, purchaseLimit: 100 } as const

const Calls = integer(0, 10_000)

export const UpdateConcurrencyBody = defineDescribedObject('UpdateConcurrencyBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  baseConcurrency: clearable(Calls, () => DEFAULT_CONCURRENCY.base).describe(
    'Maximum number of simultaneous calls, excluding purchased calls. Defaults to 20.',
  ),
  purchasedConcurrency: clearable(Calls, () => DEFAULT_CONCURRENCY.purchased).describe(
    'Number of purchased simultaneous calls, at most `concurrencyPurchaseLimit`. Defaults to 0.',
  ),
  concurrencyPurchaseLimit: clearable(Calls, () => DEFAULT_CONCURRENCY.purchaseLimit).describe(
    `${PURCHASE_LIMIT} Must not be lower than that value. Defaults to 100.`,
  ),
})
export type UpdateConcurrencyBody = z.output<typeof UpdateConcurrencyBody>

export const getConcurrency = defineOperation({
  name: 'getConcurrency',
  route: 'GET /api/concurrency',
  tag: 'Concurrency',
  summary: 'Get the concurrency limit',
  description: 'Returns the maximum and current number of live calls in the workspace.',
  access: 'read',
  query: WorkspaceQuery,
  result: Concurrency,
})

export const updateConcurrency = defineOperation({
  name: 'updateConcurrency',
  route: 'PATCH /api/concurrency',
  tag: 'Concurrency',
  summary: 'Update the concurrency limit',
  description:
    'Updates the limit. If it is lower than the number of live calls, live calls continue and new calls are rejected.',
  access: 'account',
  body: UpdateConcurrencyBody,
  result: Concurrency,
})
