import { z } from 'zod'
import { queryInteger, queryWorkspace } from './fields.ts'

/** Default page size of lists in the specification, large enough that most clients need only one page. */
export const SPEC_LIST_LIMIT = 1000
/** Default page size of lists that are not part of the specification. */
export const EXTENSION_LIST_LIMIT = 50

/** Returns the query fields of a list with keyset pagination. The key is opaque. */
export const pagingQuery = (defaultLimit: number) =>
  z.object({
    workspaceId: queryWorkspace(),
    limit: queryInteger(1, 1000).default(defaultLimit).describe('Maximum number of items to return.'),
    paginationKey: z.string().min(1).max(500).optional().describe('`X-Next-Pagination-Key` of the previous response.'),
    paginationKeyVersion: queryInteger(1, 2_147_483_647)
      .optional()
      .describe('`X-Next-Pagination-Key-Version` of the previous response.'),
  })
