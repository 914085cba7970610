import {
  changePassword,
  confirmPassword,
  deleteSession,
  getSession,
  listSessions,
  login,
  logout,
  resetPassword,
} from '@parley/contract/session'
import { type Api, implement, type RequestContext, withNextPage } from '../../kernel/api/implement.ts'
import { readPage } from '../../kernel/api/paging.ts'
import type { PasswordService } from './password-service.ts'
import type { SessionService } from './session-service.ts'

/** Registers the operations of sessions and passwords. */
export function registerSessionRoutes(api: Api, sessions: SessionService, passwords: PasswordService): void {
  registerPasswordRoutes(api, passwords)

  implement(api, login, async ({ body }, context) => {
    const client = { ...originOf(context), userAgent: context.client().userAgent }
    const started = await sessions.login(body, client)
    context.setSession(started.cookie)
    return started.login
  })

  implement(api, logout, async (_input, context) => {
    await endSession(sessions, context, context.actor.credentialId)
    return undefined
  })

  implement(api, getSession, async (_input, { actor }) => await sessions.current(actor))

  implement(api, listSessions, async ({ query }, context) => {
    return withNextPage(context, await sessions.list(context.actor, readPage(query)))
  })

  implement(api, deleteSession, async ({ path }, context) => {
    await endSession(sessions, context, path.sessionId)
    return undefined
  })
}

function registerPasswordRoutes(api: Api, passwords: PasswordService): void {
  implement(api, changePassword, async ({ body }, { actor }) => {
    await passwords.change(actor, body)
    return undefined
  })

  implement(api, confirmPassword, async ({ body }, { actor }) => {
    await passwords.confirm(actor, body)
    return undefined
  })

  implement(api, resetPassword, async ({ body }, context) => {
    await passwords.reset(body, originOf(context))
    return undefined
  })
}

/** A browser that ends its own session drops the cookie. */
async function endSession(sessions: SessionService, context: RequestContext, sessionId: string): Promise<void> {
  await sessions.end(context.actor, sessionId)
  if (sessionId === context.actor.credentialId) context.setSession(null)
}

function originOf({ client, requestId }: RequestContext): { readonly ip: string; readonly requestId: string } {
  return { ip: client().ip, requestId }
}
