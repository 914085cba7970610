import { z } from 'zod'
import { clearable, id, QueryWorkspaceId } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Workspaces, which own all other resources. */

const NATIVE_TRANSFER = { description: 'Whether the carrier performs transfers. Currently has no effect.' }

export const Workspace = z
  .object({
    id: z.int(),
    name: z.string(),
    accountSid: z.string().meta({ description: 'ID of the account (tenant) that owns the workspace.' }),
    accountPath: z.string().meta({ description: 'Path of the account: `/provider/tenant`.' }),
    nativeTransferEnabled: z.boolean().meta(NATIVE_TRANSFER),
  })
  .meta({ id: 'Workspace' })
export type Workspace = z.infer<typeof Workspace>

/** A name of 1 to 200 characters, not only spaces. */
export const NameInput = z.string().trim().min(1).max(200).meta({ description: 'Display name; must not be blank.' })

export const CreateWorkspaceBody = z
  .object({
    name: NameInput,
    tenantId: id()
      .nullable()
      .optional()
      .meta({
        description:
          'Account (`accountSid`) that owns the workspace. Defaults to your own account, or the only one that you ' +
          'administer.',
      }),
  })
  .meta({ id: 'CreateWorkspaceBody' })
export type CreateWorkspaceBody = z.output<typeof CreateWorkspaceBody>

export const UpdateWorkspaceBody = z
  .object({
    name: NameInput.optional(),
    nativeTransferEnabled: clearable(z.boolean().meta(NATIVE_TRANSFER), () => false),
  })
  .meta({ id: 'UpdateWorkspaceBody' })
export type UpdateWorkspaceBody = z.output<typeof UpdateWorkspaceBody>

/** Path of resources of a workspace. */
export const WorkspacePath = z.object({
  workspaceId: QueryWorkspaceId.meta({ description: 'ID of the workspace.' }),
})
const TAG = 'Workspaces'

export const listWorkspaces = defineOperation({
  name: 'listWorkspaces',
  method: 'GET',
  path: '/api/workspaces',
  tag: TAG,
  summary: 'List workspaces',
  description:
    'Returns the workspaces that the token can access. Pass their `id` as `workspaceId` to other operations.',
  access: 'read',
  workspace: 'none',
  result: z.object({ workspaces: z.array(Workspace) }).meta({ id: 'WorkspaceList' }),
})

export const createWorkspace = defineOperation({
  name: 'createWorkspace',
  method: 'POST',
  path: '/api/workspaces',
  tag: TAG,
  summary: 'Create a workspace',
  description: 'Creates a workspace with a new ID. IDs of deleted workspaces are never reused.',
  access: 'account',
  workspace: 'none',
  body: CreateWorkspaceBody,
  status: 201,
  result: Workspace,
})

export const getWorkspace = defineOperation({
  name: 'getWorkspace',
  method: 'GET',
  path: '/api/workspaces/{workspaceId}',
  tag: TAG,
  summary: 'Get a workspace',
  description: 'Returns a workspace that the token can access.',
  access: 'read',
  workspace: 'path',
  pathParameters: WorkspacePath,
  result: Workspace,
})

export const updateWorkspace = defineOperation({
  name: 'updateWorkspace',
  method: 'PATCH',
  path: '/api/workspaces/{workspaceId}',
  tag: TAG,
  summary: 'Update a workspace',
  description: 'Changes the name or settings of a workspace. Omitted fields keep their value.',
  access: 'account',
  workspace: 'path',
  pathParameters: WorkspacePath,
  body: UpdateWorkspaceBody,
  result: Workspace,
})

export const deleteWorkspace = defineOperation({
  name: 'deleteWorkspace',
  method: 'DELETE',
  path: '/api/workspaces/{workspaceId}',
  tag: TAG,
  summary: 'Delete a workspace',
  description:
    'Permanently deletes the workspace with all its agents, conversations, numbers, members and secrets. Fails ' +
    'with `in_use` while calls are live.',
  access: 'account',
  workspace: 'path',
  pathParameters: WorkspacePath,
  errors: ['in_use'],
})
