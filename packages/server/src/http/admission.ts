import { type Access, RIGHTS, type Right } from '@parley/contract/access'
import type { Operation } from '@parley/contract/operation'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, hasScopeAndRole, hasWorkspaceLevel, workspacesFor } from '../kernel/access/actor.ts'
import {
  type ContextClaims,
  checkTenantOwns,
  narrowActor,
  readClaims,
  type TenantDirectory,
} from '../kernel/access/actor-context.ts'
import { AppError } from '../kernel/errors.ts'
import { networkOf } from '../kernel/security/rate-limits.ts'
import type { RateLimitSettings, TakeToken } from './rate-limit.ts'
import { isOwnOrigin, isSentOverHttps, readSessionCookie } from './session-cookie.ts'

/** What a request says about who sends it. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** Value of the session cookie; looked at without an `Authorization` header only. */
  readonly session: string | null
}

export interface AdmissionDependencies {
  /** Resolves a token or session; `null` for one that is missing, unknown, expired or revoked. */
  readonly authenticate: (credentials: Credentials) => Promise<Actor | null>
  readonly readTenantDirectory: () => Promise<TenantDirectory>
  /** Whether `authenticate` and `readTenantDirectory` may know more after this than before. */
  readonly renewAccess: () => Promise<boolean>
  readonly rateLimit: { readonly settings: RateLimitSettings; readonly take: TakeToken }
  /** Host of `BASE_URL`, in lower case; null when it is not set. */
  readonly publicHost: string | null
  /** Browsers reach this server over HTTPS, whatever the connection behind the proxy is. */
  readonly isPublicHttps: boolean
}

/** Who was let in, and what its context headers said. */
export interface Admitted {
  /** As its token makes it. */
  readonly base: Actor
  /** Within the bounds of the context headers. */
  readonly actor: Actor
  readonly claims: ContextClaims | null
}

const NOBODY: Actor = {
  userId: '',
  credentialId: '',
  isSession: false,
  expiresAt: null,
  role: 'end_user',
  scopes: new Set(),
  providerId: null,
  accountSid: null,
  workspaces: new Map(),
}
/** Public operations below it belong to the pages of the dashboard. */
const SIGN_IN_PATH = '/api/auth/'
/** Of operations that need nobody. */
export const PUBLIC: Admitted = { base: NOBODY, actor: NOBODY, claims: null }

/**
 * Decides who calls, whether they may do this at all, and whether they may do it now: before the body is read, so that nobody
 * without a token makes the server buffer and parse one.
 */
export function createAdmission(dependencies: AdmissionDependencies, operation: Operation) {
  const { access } = operation
  const isSignIn = operation.path.startsWith(SIGN_IN_PATH)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (access === 'public' || hasSignedLink(operation, request)) {
      await limitRate(dependencies, addressKey(request), reply)
      // Programs send no origin; a foreign page must not log its visitor in as somebody else.
      if (isSignIn && request.headers.origin !== undefined) checkOrigin(request, dependencies.publicHost)
      request.admitted = PUBLIC
      return
    }
    const base = await identify(dependencies, request)
    await limitRate(dependencies, base === null ? addressKey(request) : base.credentialId, reply)
    await admit(dependencies, operation, { request, base })
  }
}

/** Nobody gets a new allowance by taking another address of his own network. */
const addressKey = ({ ip }: FastifyRequest): string => `ip:${networkOf(ip)}`

/** Who comes with a link needs no token; what the link is worth is for the handler to say. */
function hasSignedLink({ signedLinks }: Operation, { query, headers }: FastifyRequest): boolean {
  return (
    signedLinks === true &&
    headers.authorization === undefined &&
    (query as { signature?: unknown }).signature !== undefined
  )
}

/** The same for a request that was let in, by what is known of its sender now. */
export async function recheckAdmission(
  dependencies: AdmissionDependencies,
  operation: Operation,
  request: FastifyRequest,
): Promise<Admitted> {
  return await admit(dependencies, operation, { request, base: await identify(dependencies, request) })
}

interface AdmittedStream {
  readonly request: FastifyRequest
  /** The actor of its credential now. */
  readonly base: Actor
  readonly workspaceId: number | null
}

/** Whether a request that is still being answered would be let in now. */
export async function isStillAdmitted(
  dependencies: AdmissionDependencies,
  operation: Operation,
  { request, base, workspaceId }: AdmittedStream,
): Promise<boolean> {
  const { access } = operation
  try {
    const admitted = await admit(dependencies, operation, { request, base })
    if (workspaceId !== null && access !== 'public' && access !== 'session') {
      checkWorkspace(admitted, access, workspaceId)
    }
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

async function identify(dependencies: AdmissionDependencies, request: FastifyRequest): Promise<Actor | null> {
  const { authorization, cookie } = request.headers
  const isHttps = isSentOverHttps(request, dependencies.isPublicHttps)
  const session = authorization === undefined ? readSessionCookie(cookie, isHttps) : null
  return await dependencies.authenticate({ authorization, session })
}

async function admit(
  dependencies: AdmissionDependencies,
  operation: Operation,
  { request, base }: { readonly request: FastifyRequest; readonly base: Actor | null },
): Promise<Admitted> {
  const { access, workspace } = operation
  if (base === null) throw unauthorized(access)
  if (base.isSession) checkOrigin(request, dependencies.publicHost)
  if (access === 'session' && !base.isSession) throw unauthorized(access)
  const claims = readClaims(request.headers)
  // For the audit log, should the headers or the scope be refused.
  request.admitted = { base, actor: base, claims }
  if (access !== 'public' && access !== 'session') checkScope(base, access)
  const actor =
    claims === null ? base : narrowActor(base, boundsOf(claims, operation), await dependencies.readTenantDirectory())
  if (claims !== null && workspace !== 'none') checkTenantContext(claims)
  if (access !== 'public' && access !== 'session') checkRole(actor, access, workspace)
  const admitted = { base, actor, claims }
  request.admitted = admitted
  return admitted
}

/** Where the request itself names the workspace, the header is held against that later. */
function boundsOf(claims: ContextClaims, { workspace }: Operation): ContextClaims {
  return workspace === 'none' || workspace === 'inferred' ? claims : { ...claims, workspaceId: null }
}

function unauthorized(access: Access): AppError {
  return access === 'session'
    ? new AppError('unauthorized', 'Log in first: this belongs to a login of the dashboard.')
    : new AppError('unauthorized', 'Send a valid API token as "Authorization: Bearer <token>".')
}

/** A cookie is sent by the browser whatever page asks; the origin tells whether that was one of ours. */
function checkOrigin(request: FastifyRequest, publicHost: string | null): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const ownHosts = [request.host.toLowerCase(), ...(publicHost === null ? [] : [publicHost])]
  if (isOwnOrigin(request.headers.origin, ownHosts)) return
  throw new AppError('forbidden', 'A login of the dashboard can change things from its own pages only; use a token.')
}

function checkScope(actor: Actor, right: Right): void {
  const { scope } = RIGHTS[right]
  if (!actor.scopes.has(scope)) throw new AppError('forbidden', `This needs a token with the scope "${scope}".`)
}

function checkTenantContext({ actorType, tenantId }: ContextClaims): void {
  if (tenantId !== null || (actorType !== 'platform_admin' && actorType !== 'provider_admin')) return
  throw new AppError('tenant_context_required', `As ${actorType}, name the tenant in the header X-Tenant-Id.`)
}

/** What can be said before the workspace is known. */
function checkRole(actor: Actor, right: Right, workspace: Operation['workspace']): void {
  if (!hasScopeAndRole(actor, right)) {
    throw new AppError('forbidden', `This needs the role ${RIGHTS[right].role} or a higher one.`)
  }
  const isOutsideWorkspace = workspace === 'none' || workspace === 'optional' || workspace === 'inferred'
  if (!isOutsideWorkspace || RIGHTS[right].level === 'viewer' || actor.role !== 'end_user') return
  if (workspacesFor(actor, right).length === 0) throw forbiddenInWorkspace(right)
}

/** Whether the actor may do this in the workspace that the request names. */
export function checkWorkspace({ base, actor, claims }: Admitted, right: Right, workspaceId: number): void {
  if (!base.workspaces.has(workspaceId)) {
    throw new AppError('workspace_forbidden', `This token does not reach workspace ${workspaceId}.`)
  }
  if (claims !== null) checkTenantOwns(base, workspaceId, claims.tenantId)
  if (!actor.workspaces.has(workspaceId)) {
    throw new AppError('workspace_forbidden', `Workspace ${workspaceId} is outside of the context of this request.`)
  }
  if (!hasWorkspaceLevel(actor, right, workspaceId)) throw forbiddenInWorkspace(right)
}

function forbiddenInWorkspace(right: Right): AppError {
  const { level } = RIGHTS[right]
  const needed = level === 'account' ? 'an administrator of the account' : `the role "${level}" in the workspace`
  return new AppError('forbidden', `This needs ${needed}.`)
}

async function limitRate({ rateLimit }: AdmissionDependencies, key: string, reply: FastifyReply): Promise<void> {
  if (rateLimit.settings.perSecond === 0) return
  const taken = rateLimit.take(key)
  const decision = taken instanceof Promise ? await taken : taken
  const waitSeconds = Math.max(1, Math.ceil(decision.waitMs / 1000))
  reply.header('ratelimit-limit', rateLimit.settings.burst)
  reply.header('ratelimit-remaining', decision.remaining)
  reply.header('ratelimit-reset', waitSeconds)
  if (decision.allowed) return
  throw new AppError(
    'rate_limited',
    `Too many requests: ${rateLimit.settings.perSecond} a second on average. Wait and try again.`,
    { retryAfterMs: decision.waitMs },
  )
}
