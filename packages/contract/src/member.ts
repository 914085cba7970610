import { z } from 'zod'
import { MEMBER_ROLES } from './access.ts'
import { DateTime, id, label } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { WorkspacePath } from './workspace.ts'

/** People: members of workspaces and administrators of tenants and providers. */

/** What is told of everybody. */
const personFields = {
  userId: z.string().meta({
    description:
      'Of an invitation its own id: a person who had an account before is listed with another one afterward.',
  }),
  email: z.string().meta({ description: 'In lower case.' }),
  name: z.string().meta({ description: 'As invited until the person accepts; "" when the caller may not know it.' }),
  status: z
    .enum(['active', 'invited'])
    .meta({ description: '`invited` until the person has accepted; an invitation gives no access.' }),
}

/** The link of a new invitation. */
const invitationFields = {
  inviteUrl: z.string().meta({
    description: 'Where the person signs in or chooses a password, and accepts. Shown once.',
  }),
  inviteExpiresAt: DateTime.meta({ description: 'Until when the link works.' }),
}

const MemberRole = z.enum(MEMBER_ROLES).meta({
  description:
    '`viewer` reads, `editor` changes resources and holds conversations too, `admin` manages members, secrets and keys too.',
})

export const Member = z
  .object({
    ...personFields,
    role: MemberRole,
    createdAt: DateTime.meta({ description: 'When the person was invited or, once active, became a member.' }),
  })
  .meta({ id: 'Member' })
export type Member = z.infer<typeof Member>

export const MemberAdded = Member.extend(invitationFields).meta({ id: 'MemberAdded' })
export type MemberAdded = z.infer<typeof MemberAdded>

/** Somebody who administers a tenant or a provider. */
export const Administrator = z
  .object({
    ...personFields,
    createdAt: DateTime.meta({
      description: 'When the person was invited or, once active, when its account was made.',
    }),
  })
  .meta({ id: 'Administrator' })
export type Administrator = z.infer<typeof Administrator>

export const AdministratorAdded = Administrator.extend(invitationFields).meta({ id: 'AdministratorAdded' })
export type AdministratorAdded = z.infer<typeof AdministratorAdded>

const Email = z.email('must be an e-mail address').max(254).meta({ description: 'Who it is; capitals do not count.' })

export const AddAdministratorBody = z
  .object({
    email: Email,
    name: label()
      .nullable()
      .optional()
      .meta({ description: 'The name of a new person. An existing account keeps its name.' }),
  })
  .meta({ id: 'AddAdministratorBody' })
export type AddAdministratorBody = z.output<typeof AddAdministratorBody>

export const AddMemberBody = AddAdministratorBody.extend({ role: MemberRole }).meta({ id: 'AddMemberBody' })
export type AddMemberBody = z.output<typeof AddMemberBody>

export const UpdateMemberBody = z.object({ role: MemberRole }).meta({ id: 'UpdateMemberBody' })

export const PasswordLink = z
  .object({
    url: z.string().meta({ description: 'A page where its person chooses a password.' }),
    expiresAt: DateTime.meta({ description: 'Until when it works.' }),
  })
  .meta({ id: 'PasswordLink' })
export type PasswordLink = z.infer<typeof PasswordLink>

/** Paging of lists that are not about a workspace, or have it in their path. */
export const PlainPagingQuery = pagingQuery(EXTENSION_LIST_LIMIT).omit({ workspaceId: true })

const MemberPath = WorkspacePath.extend({ userId: id().meta({ description: 'The member, `user_…`.' }) })
/** The administrator that a path names. */
export const administratorId = id().meta({ description: 'The administrator, `user_…`.' })
const TAG = 'Tenancy'

export const listMembers = defineOperation({
  name: 'listMembers',
  method: 'GET',
  path: '/api/workspaces/{workspaceId}/members',
  tag: TAG,
  summary: 'List the members of a workspace',
  description: 'Newest first. Administrators of its account reach a workspace without being members.',
  access: 'admin',
  workspace: 'path',
  pathParameters: WorkspacePath,
  query: PlainPagingQuery,
  status: 200,
  result: z.array(Member),
  features: ['paged'],
})

export const addMember = defineOperation({
  name: 'addMember',
  method: 'POST',
  path: '/api/workspaces/{workspaceId}/members',
  tag: TAG,
  summary: 'Invite a member',
  description:
    'Invites the person with this e-mail address into the workspace. The answer is the same whether or not the address has an ' +
    'account: a link to hand over, valid for seven days. The person accepts with its own login. Inviting again replaces the link.',
  access: 'admin',
  workspace: 'path',
  pathParameters: WorkspacePath,
  body: AddMemberBody,
  status: 201,
  result: MemberAdded,
  errors: ['not_found', 'id_taken'],
})

export const updateMember = defineOperation({
  name: 'updateMember',
  method: 'PATCH',
  path: '/api/workspaces/{workspaceId}/members/{userId}',
  tag: TAG,
  summary: 'Change the role of a member',
  description: 'The new role holds for requests from now on. An invitation can be changed as well.',
  access: 'admin',
  workspace: 'path',
  pathParameters: MemberPath,
  body: UpdateMemberBody,
  status: 200,
  result: Member,
  errors: ['not_found'],
})

export const removeMember = defineOperation({
  name: 'removeMember',
  method: 'DELETE',
  path: '/api/workspaces/{workspaceId}/members/{userId}',
  tag: TAG,
  summary: 'Remove a member',
  description:
    'Ends the membership, or revokes an invitation. An account that belongs to nothing else ends with it, with its password, ' +
    'logins and API tokens.',
  access: 'admin',
  workspace: 'path',
  pathParameters: MemberPath,
  status: 204,
  errors: ['not_found'],
})

export const createPasswordLink = defineOperation({
  name: 'createPasswordLink',
  method: 'POST',
  path: '/api/workspaces/{workspaceId}/members/{userId}/password-link',
  tag: TAG,
  summary: 'Create a password link',
  description:
    'For a member who lost the password; for an invited person a new invitation link. Valid for seven days, shown once, and ' +
    'instead of earlier links. Only for people who administer nothing, whom the caller administers in their home account. ' +
    'Memberships that the caller does not administer become invitations again when the link is used.',
  access: 'admin',
  workspace: 'path',
  pathParameters: MemberPath,
  status: 201,
  result: PasswordLink,
  errors: ['not_found'],
})
