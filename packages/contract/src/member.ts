import { z } from 'zod'
import { MEMBER_ROLES, type Right } from './access.ts'
import { DateTime, id, label } from './fields.ts'
import { defineObject } from './named-object.ts'
import { type ApiPath, defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { WorkspacePath } from './workspace.ts'

/** Workspace members, and administrators of tenants and providers. */

/** Fields that every person has. */
const personFields = {
  userId: z
    .string()
    .describe(
      'ID of the user. An invitation has its own ID, so a user with an existing account is listed under a different ' +
        'ID after accepting.',
    ),
  email: z.string().describe('E-mail address in lower case.'),
  name: z.string().describe('Name from the invitation until the user accepts. Empty if you do not have access to it.'),
  status: z.enum(['active', 'invited']).describe('`invited` until the user accepts. Invitations do not grant access.'),
}

/** Fields of a new invitation. */
const invitationFields = {
  inviteUrl: z
    .string()
    .describe('Link for signing in or choosing a password, and for accepting the invitation. Returned only once.'),
  inviteExpiresAt: DateTime.describe('Time when the link expires.'),
}

const MemberRole = z
  .enum(MEMBER_ROLES)
  .describe(
    '`viewer` can read; `editor` can also change resources and start conversations; `admin` can also manage ' +
      'members, secrets and keys.',
  )

export const Member = defineObject('Member', {
  ...personFields,
  role: MemberRole,
  createdAt: DateTime.describe('Time when the user was invited, or became a member if the status is `active`.'),
})
export type Member = z.infer<typeof Member>

export const MemberAdded = Member.extend(invitationFields).meta({ id: 'MemberAdded' })
export type MemberAdded = z.infer<typeof MemberAdded>

/** An administrator of a tenant or provider. */
export const Administrator = defineObject('Administrator', {
  ...personFields,
  createdAt: DateTime.describe(
    'Time when the user was invited, or when their account was created if the status is `active`.',
  ),
})
export type Administrator = z.infer<typeof Administrator>

export const AdministratorAdded = Administrator.extend(invitationFields).meta({ id: 'AdministratorAdded' })
export type AdministratorAdded = z.infer<typeof AdministratorAdded>

const Email = z.email('must be an e-mail address').max(254).describe('E-mail address of the user, case-insensitive.')

export const AddAdministratorBody = defineObject('AddAdministratorBody', {
  email: Email,
  name: label().nullable().optional().describe('Name of a new user. Existing users keep their name.'),
})
export type AddAdministratorBody = z.output<typeof AddAdministratorBody>

export const AddMemberBody = AddAdministratorBody.extend({ role: MemberRole }).meta({ id: 'AddMemberBody' })
export type AddMemberBody = z.output<typeof AddMemberBody>

export const UpdateMemberBody = defineObject('UpdateMemberBody', { role: MemberRole })

export const PasswordLink = defineObject('PasswordLink', {
  url: z.string().describe('Link for choosing a password.'),
  expiresAt: DateTime.describe('Time when the link expires.'),
})
export type PasswordLink = z.infer<typeof PasswordLink>

/** Paging of lists that have no workspace in their query. */
export const PaginationQuery = pagingQuery(EXTENSION_LIST_LIMIT).omit({ workspaceId: true })

const MemberPath = WorkspacePath.extend({ userId: id().describe('ID of the member (`user_…`).') })
const TAG = 'Tenancy'

const INVITATION_DESCRIPTION =
  'Invites a person by e-mail address, whether or not the address has an account. Returns a link to send to the person, ' +
  'valid for seven days. A new invitation replaces the previous link.'

export const listMembers = defineOperation({
  name: 'listMembers',
  route: 'GET /api/workspaces/{workspaceId}/members',
  tag: TAG,
  summary: 'List the members of a workspace',
  description:
    'Returns members and invitations, newest first. Administrators of the account have access without being members.',
  access: 'admin',
  workspace: 'path',
  pathParameters: WorkspacePath,
  query: PaginationQuery,
  result: z.array(Member),
  features: ['paged'],
})

export const addMember = defineOperation({
  name: 'addMember',
  route: 'POST /api/workspaces/{workspaceId}/members',
  tag: TAG,
  summary: 'Invite a member',
  description: `${INVITATION_DESCRIPTION} The person signs in to accept.`,
  access: 'admin',
  workspace: 'path',
  pathParameters: WorkspacePath,
  body: AddMemberBody,
  status: 201,
  result: MemberAdded,
  errors: ['id_taken'],
})

export const updateMember = defineOperation({
  name: 'updateMember',
  route: 'PATCH /api/workspaces/{workspaceId}/members/{userId}',
  tag: TAG,
  summary: 'Update the role of a member',
  description: 'Changes the role of a member or an invitation, effective immediately.',
  access: 'admin',
  workspace: 'path',
  pathParameters: MemberPath,
  body: UpdateMemberBody,
  result: Member,
})

export const removeMember = defineOperation({
  name: 'removeMember',
  route: 'DELETE /api/workspaces/{workspaceId}/members/{userId}',
  tag: TAG,
  summary: 'Remove a member',
  description:
    'Removes a member or revokes an invitation. Accounts without any other membership are deleted with their ' +
    'password, sessions and API tokens.',
  access: 'admin',
  workspace: 'path',
  pathParameters: MemberPath,
})

export const createPasswordLink = defineOperation({
  name: 'createPasswordLink',
  route: 'POST /api/workspaces/{workspaceId}/members/{userId}/password-link',
  tag: TAG,
  summary: 'Create a password link',
  description:
    'Creates a link for choosing a new password, or a new invitation link for an invited user. The link is ' +
    'returned once, is valid for seven days and replaces earlier links. Fails for administrators, and for users ' +
    'whose home account you do not administer. When the link is used, memberships that you do not administer ' +
    'become invitations again.',
  access: 'admin',
  workspace: 'path',
  pathParameters: MemberPath,
  status: 201,
  result: PasswordLink,
})

interface AdministeredResource {
  /** Name of the resource in operation names and sentences. */
  readonly name: 'Tenant' | 'Provider'
  readonly noun: 'tenant' | 'provider'
  readonly item: ApiPath
  readonly pathParameters: z.ZodObject
  readonly access: Right
  readonly accessNote: string
}

/** Defines the operations that list, invite and remove the administrators of a tenant or provider. */
export function defineAdministratorOperations<const Resource extends AdministeredResource>(resource: Resource) {
  const { name, noun, item, access } = resource
  const pathParameters: Resource['pathParameters'] = resource.pathParameters
  const sharedDefinition = { tag: TAG, access, workspace: 'none' } as const
  const userId = id().describe('ID of the administrator (`user_…`).')
  return {
    list: defineOperation({
      ...sharedDefinition,
      name: `list${name}Admins`,
      route: `GET ${item}/admins`,
      summary: `List the administrators of a ${noun}`,
      description: `Returns the administrators, newest first. ${resource.accessNote}`,
      pathParameters,
      query: PaginationQuery,
      result: z.array(Administrator),
      features: ['paged'],
    }),
    add: defineOperation({
      ...sharedDefinition,
      name: `add${name}Admin`,
      route: `POST ${item}/admins`,
      summary: `Invite an administrator of a ${noun}`,
      description: `${INVITATION_DESCRIPTION} A person can administer only one tenant or provider; accepting another invitation fails.`,
      pathParameters,
      body: AddAdministratorBody,
      status: 201,
      result: AdministratorAdded,
      errors: ['id_taken'],
    }),
    remove: defineOperation({
      ...sharedDefinition,
      name: `remove${name}Admin`,
      route: `DELETE ${item}/admins/{userId}`,
      summary: `Remove an administrator from a ${noun}`,
      description:
        'Removes the administrator or revokes the invitation. The person keeps their memberships and becomes an end user; ' +
        'an account without memberships is deleted.',
      pathParameters: pathParameters.extend({ userId }) as z.ZodObject<
        Resource['pathParameters']['shape'] & { userId: typeof userId }
      >,
    }),
  }
}
