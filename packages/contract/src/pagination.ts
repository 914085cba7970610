import { z } from 'zod'
import { queryInteger, queryWorkspace } from './fields.ts'

/** Paging of the lists that the specification names: everything a client can reasonably take, unless it says otherwise. */
export const SPEC_LIST_LIMIT = 1000
/** Paging of the lists that this project adds. */
export const EXTENSION_LIST_LIMIT = 50

/** Query fields of a keyset-paged list. The key is opaque: it is the value of `X-Next-Pagination-Key`. */
export const pagingQuery = (defaultLimit: number) =>
  z.object({
    workspaceId: queryWorkspace(),
    limit: queryInteger(1, 1000).default(defaultLimit).meta({ description: 'Most items in one answer.' }),
    paginationKey: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .meta({ description: 'Where to go on: the value of `X-Next-Pagination-Key` of the answer before.' }),
    paginationKeyVersion: queryInteger(1, 2_147_483_647)
      .optional()
      .meta({ description: 'The value of `X-Next-Pagination-Key-Version` of the answer before.' }),
  })
