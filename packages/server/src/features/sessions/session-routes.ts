import {
  changePassword,
  confirmPassword,
  deleteSession,
  getSession,
  listSessions,
  login,
  logout,
  resetPassword,
  updateProfile,
} from '@parley/contract/session'
import { type Api, implement, type RequestContext, respondWithPage } from '../../kernel/api/implement.ts'
import { parsePageRequest } from '../../kernel/api/paging.ts'
import type { PasswordService } from './password-service.ts'
import type { SessionService } from './session-service.ts'

/** Registers the session and password routes. */
export function registerSessionRoutes(api: Api, sessions: SessionService, passwords: PasswordService): void {
  registerPasswordRoutes(api, passwords)

  implement(api, login, async ({ body }, context) => {
    const client = { ...getRequestOrigin(context), userAgent: context.getClient().userAgent }
    const startedSession = await sessions.login(body, client)
    context.setSession(startedSession.cookie)
    return startedSession.login
  })

  implement(api, logout, (_input, context) => endSession(sessions, context, context.actor.credentialId))

  implement(api, getSession, (_input, { actor }) => sessions.getCurrent(actor))

  implement(api, updateProfile, ({ body }, { actor }) => sessions.rename(actor, body.name))

  implement(api, listSessions, async ({ query }, context) => {
    return respondWithPage(context, await sessions.list(context.actor, parsePageRequest(query)))
  })

  implement(api, deleteSession, ({ path }, context) => endSession(sessions, context, path.sessionId))
}

function registerPasswordRoutes(api: Api, passwords: PasswordService): void {
  implement(api, changePassword, ({ body }, { actor }) => passwords.change(actor, body))

  implement(api, confirmPassword, ({ body }, { actor }) => passwords.confirm(actor, body))

  implement(api, resetPassword, ({ body }, context) => passwords.reset(body, getRequestOrigin(context)))
}

/** Ends a session. Clears the cookie if the browser ends its own session. */
async function endSession(sessions: SessionService, context: RequestContext, sessionId: string): Promise<void> {
  await sessions.end(context.actor, sessionId)
  if (sessionId === context.actor.credentialId) context.setSession(null)
}

function getRequestOrigin({ getClient: client, requestId }: RequestContext): {
  readonly ip: string
  readonly requestId: string
} {
  return { ip: client().ip, requestId }
}
