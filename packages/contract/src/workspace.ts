import { z } from 'zod'
import { defineOperation } from './operation.ts'

/** Workspaces: every resource belongs to one. */

export const Workspace = z
  .object({
    id: z.int(),
    name: z.string(),
    accountSid: z.string().meta({ description: 'The account (tenant) that owns the workspace.' }),
    accountPath: z.string().meta({ description: 'Where the account stands: `/provider/tenant`.' }),
    nativeTransferEnabled: z.boolean(),
  })
  .meta({ id: 'Workspace' })
export type Workspace = z.infer<typeof Workspace>

export const listWorkspaces = defineOperation({
  name: 'listWorkspaces',
  method: 'GET',
  path: '/api/workspaces',
  tag: 'Workspaces',
  summary: 'List workspaces',
  description: 'The workspaces that the token reaches. Pass an `id` as `workspaceId` to the other operations.',
  access: 'read',
  workspace: 'none',
  status: 200,
  result: z.object({ workspaces: z.array(Workspace) }).meta({ id: 'WorkspaceList' }),
})
