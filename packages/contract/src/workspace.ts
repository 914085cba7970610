import { z } from 'zod'
import { clearable, id, QueryWorkspaceId } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** Workspaces, which own all other resources. */

const NATIVE_TRANSFER = 'Whether the carrier performs transfers. Currently has no effect.'

export const Workspace = defineObject('Workspace', {
  id: z.int(),
  name: z.string(),
  accountSid: z.string().describe('ID of the account (tenant) that owns the workspace.'),
  accountPath: z.string().describe('Path of the account: `/provider/tenant`.'),
  nativeTransferEnabled: z.boolean().describe(NATIVE_TRANSFER),
})
export type Workspace = z.infer<typeof Workspace>

/** A name of 1 to 200 characters that is not blank. */
export const NameInput = z.string().trim().min(1).max(200).describe('Display name; must not be blank.')

export const CreateWorkspaceBody = defineObject('CreateWorkspaceBody', {
  name: NameInput,
  tenantId: id()
    .nullable()
    .optional()
    .describe(
      'Account (`accountSid`) that owns the workspace. Defaults to your own account, or the only one that you ' +
        'administer.',
    ),
})
export type CreateWorkspaceBody = z.output<typeof CreateWorkspaceBody>

export const UpdateWorkspaceBody = defineObject('UpdateWorkspaceBody', {
  name: NameInput.optional(),
  nativeTransferEnabled: clearable(z.boolean().describe(NATIVE_TRANSFER), () => false),
})
export type UpdateWorkspaceBody = z.output<typeof UpdateWorkspaceBody>

/** Path of a workspace's resources. */
export const WorkspacePath = z.object({
  workspaceId: QueryWorkspaceId.describe('ID of the workspace.'),
})
const TAG = 'Workspaces'

export const listWorkspaces = defineOperation({
  name: 'listWorkspaces',
  route: 'GET /api/workspaces',
  tag: TAG,
  summary: 'List workspaces',
  description:
    'Returns the workspaces that the token can access. Pass their `id` as `workspaceId` to other operations.',
  access: 'read',
  workspace: 'none',
  result: defineObject('WorkspaceList', { workspaces: z.array(Workspace) }),
})

export const createWorkspace = defineOperation({
  name: 'createWorkspace',
  route: 'POST /api/workspaces',
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
  route: 'GET /api/workspaces/{workspaceId}',
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
  route: 'PATCH /api/workspaces/{workspaceId}',
  tag: TAG,
  summary: 'Update a workspace',
  description: 'Updates the name or settings of a workspace. Omitted fields do not change.',
  access: 'account',
  workspace: 'path',
  pathParameters: WorkspacePath,
  body: UpdateWorkspaceBody,
  result: Workspace,
})

export const deleteWorkspace = defineOperation({
  name: 'deleteWorkspace',
  route: 'DELETE /api/workspaces/{workspaceId}',
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
