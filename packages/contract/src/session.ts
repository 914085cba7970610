import { z } from 'zod'
import { ACTOR_ROLES, SCOPES, WORKSPACE_LEVELS } from './access.ts'
import { DateTime, id, label } from './fields.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** Dashboard sessions, which use an HTTP-only cookie, and passwords. */

const BODY_LIMIT_BYTES = 16 * 1024

/** An existing password. The limits also allow passwords that were created under earlier rules. */
const PasswordInput = z.string().min(1).max(1000)
/** Token that follows `#token=` in a link. */
const LinkToken = z.string().min(1).max(200)
/** A new password. */
const NewPasswordInput = z.string().min(10).max(200).describe('New password, 10 to 200 characters.')

export const SessionUser = defineObject('SessionUser', {
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ACTOR_ROLES),
})
export type SessionUser = z.infer<typeof SessionUser>

export const Login = defineDescribedObject('Login', 'The signed-in user. The response sets the session cookie.', {
  user: SessionUser,
  sessionId: z.string(),
  expiresAt: DateTime,
})
export type Login = z.infer<typeof Login>

export const CurrentSession = Login.extend({
  role: z.enum(ACTOR_ROLES).describe('Role of the session, taking the context headers into account.'),
  scopes: z.array(z.enum(SCOPES)).describe('Scopes of the session.'),
  workspaces: z
    .array(z.object({ id: z.int(), level: z.enum(WORKSPACE_LEVELS) }))
    .describe('Accessible workspaces and the levels of access to them.'),
}).meta({ id: 'CurrentSession' })
export type CurrentSession = z.infer<typeof CurrentSession>

export const SessionSummary = defineObject('SessionSummary', {
  sessionId: z.string(),
  userAgent: z.string().describe('User agent of the browser.'),
  isCurrent: z.boolean().describe('Whether this is the session of the request.'),
  createdAt: DateTime,
  lastUsedAt: DateTime.describe('Time of the last request, accurate to the minute.'),
  expiresAt: DateTime.describe('Time when the session expires. Inactive sessions expire earlier.'),
})
export type SessionSummary = z.infer<typeof SessionSummary>

export const LoginBody = defineObject('LoginBody', {
  email: z.string().min(1).max(320).describe('E-mail address, case-insensitive.'),
  password: PasswordInput.describe('Password of the account.'),
})
export type LoginBody = z.output<typeof LoginBody>

export const UpdateProfileBody = defineObject('UpdateProfileBody', {
  name: label().trim().min(1).describe('Your name, 1 to 200 characters, as other members see it.'),
})
export type UpdateProfileBody = z.output<typeof UpdateProfileBody>

export const ChangePasswordBody = defineObject('ChangePasswordBody', {
  currentPassword: PasswordInput.describe('Current password.'),
  newPassword: NewPasswordInput,
})
export type ChangePasswordBody = z.output<typeof ChangePasswordBody>

export const ConfirmPasswordBody = defineObject('ConfirmPasswordBody', {
  password: PasswordInput.describe('Password of the signed-in user.'),
})
export type ConfirmPasswordBody = z.output<typeof ConfirmPasswordBody>

export const ResetPasswordBody = defineObject('ResetPasswordBody', {
  token: LinkToken.describe('Token from a password link or from a new user’s invitation.'),
  newPassword: NewPasswordInput,
})
export type ResetPasswordBody = z.output<typeof ResetPasswordBody>

export const AcceptInvitationBody = defineObject('AcceptInvitationBody', {
  token: LinkToken.describe('Token from the link of the invitation.'),
})

export const AcceptedInvitation = defineObject('AcceptedInvitation', {
  workspaceId: z.int().nullable().describe('ID of the workspace; null for administrators.'),
  tenantId: z.string().nullable().describe('ID of the tenant that the user now administers, or null.'),
  providerId: z.string().nullable().describe('ID of the provider that the user now administers, or null.'),
})
export type AcceptedInvitation = z.infer<typeof AcceptedInvitation>

const TAG = 'Account'

export const login = defineOperation({
  name: 'login',
  route: 'POST /api/auth/login',
  tag: TAG,
  summary: 'Sign in to the dashboard',
  description:
    'Starts a 14-day session and sets the session cookie. Inactive sessions expire earlier, by default after ' +
    '7 days. After five failed attempts for an e-mail address from the same network, the delay doubles with each ' +
    'attempt.',
  access: 'public',
  workspace: 'none',
  body: LoginBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  result: Login,
  errors: ['unauthorized', 'forbidden', 'unavailable', 'payload_too_large', 'unsupported_media_type'],
})

export const logout = defineOperation({
  name: 'logout',
  route: 'POST /api/auth/logout',
  tag: TAG,
  summary: 'Sign out of the dashboard',
  description: 'Ends the session of the request.',
  access: 'session',
  workspace: 'none',
  status: 204,
})

export const getSession = defineOperation({
  name: 'getSession',
  route: 'GET /api/auth/session',
  tag: TAG,
  summary: 'Get the current session',
  description: 'Returns the signed-in user and the rights of the session.',
  access: 'session',
  workspace: 'none',
  result: CurrentSession,
})

export const updateProfile = defineOperation({
  name: 'updateProfile',
  route: 'PATCH /api/auth/profile',
  tag: TAG,
  summary: 'Update your profile',
  description: 'Changes the name that members and administrators see in member lists and the audit log.',
  access: 'session',
  workspace: 'none',
  body: UpdateProfileBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  result: SessionUser,
})

export const listSessions = defineOperation({
  name: 'listSessions',
  route: 'GET /api/auth/sessions',
  tag: TAG,
  summary: 'List your sessions',
  description: 'Returns your active sessions, newest first.',
  access: 'session',
  workspace: 'none',
  query: pagingQuery(EXTENSION_LIST_LIMIT).omit({ workspaceId: true }),
  result: z.array(SessionSummary),
  features: ['paged'],
})

export const deleteSession = defineOperation({
  name: 'deleteSession',
  route: 'DELETE /api/auth/sessions/{sessionId}',
  tag: TAG,
  summary: 'End one of your sessions',
  description: 'Ends a session immediately on this server, and within 5 seconds on all other servers.',
  access: 'session',
  workspace: 'none',
  pathParameters: z.object({ sessionId: id().describe('ID of the session (`session_…`).') }),
})

export const changePassword = defineOperation({
  name: 'changePassword',
  route: 'POST /api/auth/password',
  tag: TAG,
  summary: 'Change your password',
  description:
    'Changes your password, ends all your other sessions and revokes your password links. API tokens remain valid.',
  access: 'session',
  workspace: 'none',
  body: ChangePasswordBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  status: 204,
})

export const confirmPassword = defineOperation({
  name: 'confirmPassword',
  route: 'POST /api/auth/confirm-password',
  tag: TAG,
  summary: 'Confirm your password',
  description:
    'Allows the session to create API tokens for the next 10 minutes. If a request fails with ' +
    '`reauthentication_required`, confirm the password and repeat the request. Failed attempts are throttled like sign-ins.',
  access: 'session',
  workspace: 'none',
  body: ConfirmPasswordBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  status: 204,
})

export const resetPassword = defineOperation({
  name: 'resetPassword',
  route: 'POST /api/auth/reset-password',
  tag: TAG,
  summary: 'Set a password with a link',
  description:
    'Sets a password with the token from a password link and ends all sessions of the user. API tokens remain valid. ' +
    'With the token from an invitation, sets the first password of a new user, who then signs in to accept.',
  access: 'public',
  workspace: 'none',
  body: ResetPasswordBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  status: 204,
  errors: ['link_invalid', 'forbidden', 'unavailable', 'payload_too_large', 'unsupported_media_type'],
})

export const acceptInvitation = defineOperation({
  name: 'acceptInvitation',
  route: 'POST /api/auth/accept-invitation',
  tag: TAG,
  summary: 'Accept an invitation',
  description:
    'Makes you a member or administrator. Requires a session of the invited user and works once. Existing API ' +
    'tokens do not gain access. After five unknown tokens, further attempts are throttled.',
  access: 'session',
  workspace: 'none',
  body: AcceptInvitationBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  result: AcceptedInvitation,
  errors: ['link_invalid', 'in_use'],
})
