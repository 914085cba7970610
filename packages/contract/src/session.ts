import { z } from 'zod'
import { ACTOR_ROLES, SCOPES, WORKSPACE_LEVELS } from './access.ts'
import { DateTime, id } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'

/** Logins of the dashboard: a cookie that pages cannot read, and the passwords behind it. */

const BODY_LIMIT_BYTES = 16 * 1024

/** Any password that was ever accepted, wherever it was set. */
const PasswordInput = z.string().min(1).max(1000)
/** What follows `#token=` in a link. */
const LinkToken = z.string().min(1).max(200)
/** A password as people choose it. */
const NewPasswordInput = z.string().min(10).max(200).meta({ description: 'The password from now on.' })

export const SessionUser = z
  .object({ userId: z.string(), email: z.string(), name: z.string(), role: z.enum(ACTOR_ROLES) })
  .meta({ id: 'SessionUser' })
export type SessionUser = z.infer<typeof SessionUser>

export const Login = z
  .object({ user: SessionUser, sessionId: z.string(), expiresAt: DateTime })
  .meta({ id: 'Login', description: 'The login itself is in the cookie of the answer.' })
export type Login = z.infer<typeof Login>

export const CurrentSession = Login.extend({
  role: z.enum(ACTOR_ROLES).meta({ description: 'What the login acts as, within the context headers.' }),
  scopes: z.array(z.enum(SCOPES)).meta({ description: 'What the login may do.' }),
  workspaces: z
    .array(z.object({ id: z.int(), level: z.enum(WORKSPACE_LEVELS) }))
    .meta({ description: 'What it reaches, and how far its rights go there.' }),
}).meta({ id: 'CurrentSession' })
export type CurrentSession = z.infer<typeof CurrentSession>

export const SessionSummary = z
  .object({
    sessionId: z.string(),
    userAgent: z.string().meta({ description: 'What the browser called itself.' }),
    isCurrent: z.boolean().meta({ description: 'Whether it is the login of this request.' }),
    createdAt: DateTime,
    lastUsedAt: DateTime.meta({ description: 'Exact to a minute.' }),
    expiresAt: DateTime.meta({ description: 'When it ends at the latest; without requests it ends earlier.' }),
  })
  .meta({ id: 'SessionSummary' })
export type SessionSummary = z.infer<typeof SessionSummary>

export const LoginBody = z
  .object({
    email: z.string().min(1).max(320).meta({ description: 'Of the person; capitals do not count.' }),
    password: PasswordInput.meta({ description: 'Of the person.' }),
  })
  .meta({ id: 'LoginBody' })
export type LoginBody = z.output<typeof LoginBody>

export const ChangePasswordBody = z
  .object({
    currentPassword: PasswordInput.meta({ description: 'The password until now.' }),
    newPassword: NewPasswordInput,
  })
  .meta({ id: 'ChangePasswordBody' })
export type ChangePasswordBody = z.output<typeof ChangePasswordBody>

export const ConfirmPasswordBody = z
  .object({ password: PasswordInput.meta({ description: 'The password of the person who is logged in.' }) })
  .meta({ id: 'ConfirmPasswordBody' })
export type ConfirmPasswordBody = z.output<typeof ConfirmPasswordBody>

export const ResetPasswordBody = z
  .object({
    token: LinkToken.meta({ description: 'From a password link, or from the invitation of a new person.' }),
    newPassword: NewPasswordInput,
  })
  .meta({ id: 'ResetPasswordBody' })
export type ResetPasswordBody = z.output<typeof ResetPasswordBody>

export const AcceptInvitationBody = z
  .object({ token: LinkToken.meta({ description: 'From the link of the invitation.' }) })
  .meta({ id: 'AcceptInvitationBody' })

export const AcceptedInvitation = z
  .object({
    workspaceId: z.int().nullable().meta({ description: 'The workspace; null for administrators.' }),
    tenantId: z.string().nullable().meta({ description: 'The tenant that the person administers from now on.' }),
    providerId: z.string().nullable().meta({ description: 'The provider that the person administers from now on.' }),
  })
  .meta({ id: 'AcceptedInvitation' })
export type AcceptedInvitation = z.infer<typeof AcceptedInvitation>

const TAG = 'Account'

export const login = defineOperation({
  name: 'login',
  method: 'POST',
  path: '/api/auth/login',
  tag: TAG,
  summary: 'Log in to the dashboard',
  description:
    'Begins a login of 14 days and sends it as a cookie. It ends earlier after a time without requests, 7 days unless the ' +
    'operator chose another. After five failures of one network at one e-mail address each further attempt there has to wait ' +
    'twice as long.',
  access: 'public',
  workspace: 'none',
  body: LoginBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  status: 200,
  result: Login,
  errors: ['unauthorized', 'forbidden', 'unavailable', 'payload_too_large', 'unsupported_media_type'],
})

export const logout = defineOperation({
  name: 'logout',
  method: 'POST',
  path: '/api/auth/logout',
  tag: TAG,
  summary: 'Log out of the dashboard',
  description: 'Ends the login of this request.',
  access: 'session',
  workspace: 'none',
  status: 204,
})

export const getSession = defineOperation({
  name: 'getSession',
  method: 'GET',
  path: '/api/auth/session',
  tag: TAG,
  summary: 'Read the current login',
  description: 'Who is logged in and what this login may do.',
  access: 'session',
  workspace: 'none',
  status: 200,
  result: CurrentSession,
})

export const listSessions = defineOperation({
  name: 'listSessions',
  method: 'GET',
  path: '/api/auth/sessions',
  tag: TAG,
  summary: 'List your logins',
  description: 'The logins of the caller that have not ended, newest first.',
  access: 'session',
  workspace: 'none',
  query: pagingQuery(EXTENSION_LIST_LIMIT).omit({ workspaceId: true }),
  status: 200,
  result: z.array(SessionSummary),
  features: ['paged'],
})

export const deleteSession = defineOperation({
  name: 'deleteSession',
  method: 'DELETE',
  path: '/api/auth/sessions/{sessionId}',
  tag: TAG,
  summary: 'End one of your logins',
  description: 'Ends it at once here and within 5 seconds everywhere.',
  access: 'session',
  workspace: 'none',
  pathParameters: z.object({ sessionId: id().meta({ description: 'The login, `session_…`.' }) }),
  status: 204,
  errors: ['not_found'],
})

export const changePassword = defineOperation({
  name: 'changePassword',
  method: 'POST',
  path: '/api/auth/password',
  tag: TAG,
  summary: 'Change your password',
  description: 'Ends all other logins of the caller and the links that could set its password. API tokens stay.',
  access: 'session',
  workspace: 'none',
  body: ChangePasswordBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  status: 204,
})

export const confirmPassword = defineOperation({
  name: 'confirmPassword',
  method: 'POST',
  path: '/api/auth/confirm-password',
  tag: TAG,
  summary: 'Confirm your password',
  description:
    'Lets this login create API tokens for 10 minutes, as logging in does. Send it after an answer with the code ' +
    '`reauthentication_required`, then repeat the request. Wrong passwords are slowed down as at the login.',
  access: 'session',
  workspace: 'none',
  body: ConfirmPasswordBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  status: 204,
})

export const resetPassword = defineOperation({
  name: 'resetPassword',
  method: 'POST',
  path: '/api/auth/reset-password',
  tag: TAG,
  summary: 'Set a password by a link',
  description:
    'Uses up a password link and ends all logins of its person. API tokens stay. With the token of an invitation it sets the ' +
    'first password of a new person, who then logs in and accepts.',
  access: 'public',
  workspace: 'none',
  body: ResetPasswordBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  status: 204,
  errors: ['link_invalid', 'forbidden', 'unavailable', 'payload_too_large', 'unsupported_media_type'],
})

export const acceptInvitation = defineOperation({
  name: 'acceptInvitation',
  method: 'POST',
  path: '/api/auth/accept-invitation',
  tag: TAG,
  summary: 'Accept an invitation',
  description:
    'Makes the caller a member or administrator. Needs a login of the person whom the invitation is for. Works once. API ' +
    'tokens made earlier do not reach what was accepted. After five unknown tokens each further attempt has to wait.',
  access: 'session',
  workspace: 'none',
  body: AcceptInvitationBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  status: 200,
  result: AcceptedInvitation,
  errors: ['link_invalid', 'in_use'],
})
