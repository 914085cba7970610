import { z } from 'zod'
import { clearable, id, QueryWorkspaceId } from './fields.ts'
import { defineOperation } from './operation.ts'

/** Workspaces: every resource belongs to one. */

const NATIVE_TRANSFER = { description: 'Whether transfers are left to the carrier. Nothing depends on it so far.' }

export const Workspace = z
  .object({
    id: z.int(),
    name: z.string(),
    accountSid: z.string().meta({ description: 'The account (tenant) that owns the workspace.' }),
    accountPath: z.string().meta({ description: 'Where the account stands: `/provider/tenant`.' }),
    nativeTransferEnabled: z.boolean().meta(NATIVE_TRANSFER),
  })
  .meta({ id: 'Workspace' })
export type Workspace = z.infer<typeof Workspace>

/** A name that says something: 1 to 200 characters that are not only spaces. */
export const NameInput = z.string().trim().min(1).max(200).meta({ description: 'Name for people; not only spaces.' })

export const CreateWorkspaceBody = z
  .object({
    name: NameInput,
    tenantId: id().nullable().optional().meta({
      description: "The account that it belongs to (`accountSid`); the caller's own, or the only one it administers.",
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

/** Path of what belongs to a workspace. */
export const WorkspacePath = z.object({
  workspaceId: QueryWorkspaceId.meta({ description: 'The workspace, by the `id` of the list of workspaces.' }),
})
const TAG = 'Workspaces'

export const listWorkspaces = defineOperation({
  name: 'listWorkspaces',
  method: 'GET',
  path: '/api/workspaces',
  tag: TAG,
  summary: 'List workspaces',
  description: 'The workspaces that the token reaches. Pass an `id` as `workspaceId` to the other operations.',
  access: 'read',
  workspace: 'none',
  status: 200,
  result: z.object({ workspaces: z.array(Workspace) }).meta({ id: 'WorkspaceList' }),
})

export const createWorkspace = defineOperation({
  name: 'createWorkspace',
  method: 'POST',
  path: '/api/workspaces',
  tag: TAG,
  summary: 'Create a workspace',
  description: 'Its id is a new one: ids of deleted workspaces are never given again.',
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
  summary: 'Read a workspace',
  description: 'Answers one of the workspaces that the token reaches.',
  access: 'read',
  workspace: 'path',
  pathParameters: WorkspacePath,
  status: 200,
  result: Workspace,
})

export const updateWorkspace = defineOperation({
  name: 'updateWorkspace',
  method: 'PATCH',
  path: '/api/workspaces/{workspaceId}',
  tag: TAG,
  summary: 'Change a workspace',
  description: 'Absent fields stay as they are.',
  access: 'account',
  workspace: 'path',
  pathParameters: WorkspacePath,
  body: UpdateWorkspaceBody,
  status: 200,
  result: Workspace,
  errors: ['not_found'],
})

export const deleteWorkspace = defineOperation({
  name: 'deleteWorkspace',
  method: 'DELETE',
  path: '/api/workspaces/{workspaceId}',
  tag: TAG,
  summary: 'Delete a workspace',
  description:
    'Removes it with everything in it for good: agents, conversations, numbers, members, secrets. Refused while calls are live.',
  access: 'account',
  workspace: 'path',
  pathParameters: WorkspacePath,
  status: 204,
  errors: ['not_found', 'in_use'],
})
