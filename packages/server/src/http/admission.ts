import { type Access, RIGHTS, type Right } from '@parley/contract/access'
import type { Operation } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, hasScopeAndRole, hasWorkspaceLevel, listPermittedWorkspaces } from '../kernel/access/actor.ts'
import {
  type ContextClaims,
  checkTenantOwnsWorkspace,
  narrowActor,
  readClaims,
  type TenantDirectory,
} from '../kernel/access/actor-context.ts'
import { AppError } from '../kernel/errors.ts'
import {
  type BucketLevel,
  createTokenBuckets,
  getClientNetwork,
  type SharedBuckets,
  TOKEN_ROUNDING,
} from '../kernel/security/rate-limits.ts'
import { isOwnOrigin, isSentOverHttps, readSessionCookie } from './request-context.ts'

/** Credentials of a request. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** Session cookie; used only if there is no `Authorization` header. */
  readonly session: string | null
}

export interface AdmissionDependencies {
  /**
   * Resolves a token or session to its actor. Returns null if the credential is missing, unknown, expired or revoked.
   */
  readonly authenticate: (credentials: Credentials) => Promise<Actor | null>
  readonly readTenantDirectory: () => Promise<TenantDirectory>
  /** Refreshes the access data. Returns whether the data may have changed. */
  readonly renewAccess: () => Promise<boolean>
  readonly rateLimit: { readonly settings: RateLimitSettings; readonly take: TakeToken }
  /** Lower-case host of `BASE_URL`; null if `BASE_URL` is not set. */
  readonly publicHost: string | null
  /** Whether browsers use HTTPS, even if the proxy connects over HTTP. */
  readonly isPublicHttps: boolean
}

/** An admitted actor and the context headers of the request. */
export interface Admission {
  /** Actor of the credential. */
  readonly credentialActor: Actor
  /** Actor narrowed by the context headers. */
  readonly actor: Actor
  readonly claims: ContextClaims | null
}

const ANONYMOUS_ACTOR: Actor = {
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
/** Public operations under this path are only for dashboard pages. */
const SIGN_IN_PATH = '/api/auth/'
export const PUBLIC_ADMISSION: Admission = { credentialActor: ANONYMOUS_ACTOR, actor: ANONYMOUS_ACTOR, claims: null }

/** Creates the hook that authenticates, authorizes and rate-limits requests before the server reads their bodies. */
export function createAdmission(dependencies: AdmissionDependencies, operation: Operation) {
  const { access } = operation
  const isSignIn = operation.path.startsWith(SIGN_IN_PATH)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (access === 'public' || hasSignedLink(operation, request)) {
      await enforceRateLimit(dependencies, getAddressKey(request), reply)
      // Prevents login CSRF: another site must not sign its visitor in to a different account. Only browsers send an origin.
      if (isSignIn && request.headers.origin !== undefined) checkOrigin(request, dependencies.publicHost)
      request.admission = PUBLIC_ADMISSION
      return
    }
    const credentialActor = await identify(dependencies, request)
    await enforceRateLimit(
      dependencies,
      credentialActor === null ? getAddressKey(request) : credentialActor.credentialId,
      reply,
    )
    await admit(dependencies, operation, { request, credentialActor })
  }
}

/** Rate limits apply per network, because a client can switch addresses within its network. */
const getAddressKey = ({ ip }: FastifyRequest): string => `ip:${getClientNetwork(ip)}`

/** Whether the request uses a signed link instead of a token. The handler verifies the link. */
function hasSignedLink({ signedLinks }: Operation, { query, headers }: FastifyRequest): boolean {
  return (
    signedLinks === true &&
    headers.authorization === undefined &&
    (query as { signature?: unknown }).signature !== undefined
  )
}

/** Repeats the admission with current access data. */
export async function recheckAdmission(
  dependencies: AdmissionDependencies,
  operation: Operation,
  request: FastifyRequest,
): Promise<Admission> {
  return await admit(dependencies, operation, { request, credentialActor: await identify(dependencies, request) })
}

interface AdmittedStream {
  readonly request: FastifyRequest
  /** Current actor of the credential. */
  readonly credentialActor: Actor
  readonly workspaceId: number | null
}

/** Whether a running request would still be admitted. */
export async function isStillAdmitted(
  dependencies: AdmissionDependencies,
  operation: Operation,
  { request, credentialActor, workspaceId }: AdmittedStream,
): Promise<boolean> {
  const { access } = operation
  try {
    const admission = await admit(dependencies, operation, { request, credentialActor })
    if (workspaceId !== null && access !== 'public' && access !== 'session') {
      checkWorkspace(admission, access, workspaceId)
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
  { request, credentialActor }: { readonly request: FastifyRequest; readonly credentialActor: Actor | null },
): Promise<Admission> {
  const { access, workspace } = operation
  if (credentialActor === null) throw createUnauthorizedError(access)
  if (credentialActor.isSession) checkOrigin(request, dependencies.publicHost)
  if (access === 'session' && !credentialActor.isSession) throw createUnauthorizedError(access)
  const claims = readClaims(request.headers)
  // Set before the checks, so that the audit log can record rejections.
  request.admission = { credentialActor, actor: credentialActor, claims }
  if (access !== 'public' && access !== 'session') checkScope(credentialActor, access)
  const actor =
    claims === null
      ? credentialActor
      : narrowActor(credentialActor, selectNarrowingClaims(claims, operation), await dependencies.readTenantDirectory())
  if (claims !== null && workspace !== 'none') checkTenantContext(claims)
  if (access !== 'public' && access !== 'session') checkRole(actor, access, workspace)
  const admission = { credentialActor, actor, claims }
  request.admission = admission
  return admission
}

/** Omits the workspace header if the operation itself takes a workspace. A later check compares the two. */
function selectNarrowingClaims(claims: ContextClaims, { workspace }: Operation): ContextClaims {
  return workspace === 'none' || workspace === 'inferred' ? claims : { ...claims, workspaceId: null }
}

function createUnauthorizedError(access: Access): AppError {
  return access === 'session'
    ? new AppError('unauthorized', 'Log in first: this operation requires a dashboard session.')
    : new AppError('unauthorized', 'Send a valid API token as "Authorization: Bearer <token>".')
}

/** Rejects session requests from other sites, because browsers send cookies with requests from any page. */
function checkOrigin(request: FastifyRequest, publicHost: string | null): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const ownHosts = [request.host.toLowerCase(), ...(publicHost === null ? [] : [publicHost])]
  if (isOwnOrigin(request.headers.origin, ownHosts)) return
  throw new AppError(
    'forbidden',
    'A dashboard session can change data only from dashboard pages. Use an API token instead.',
  )
}

function checkScope(actor: Actor, right: Right): void {
  const { scope } = RIGHTS[right]
  if (!actor.scopes.has(scope)) throw new AppError('forbidden', `Use a token with the "${scope}" scope.`)
}

function checkTenantContext({ actorType, tenantId }: ContextClaims): void {
  if (tenantId !== null || (actorType !== 'platform_admin' && actorType !== 'provider_admin')) return
  throw new AppError(
    'tenant_context_required',
    `Set the X-Tenant-Id header. Requests as ${actorType} require a tenant.`,
  )
}

/** Checks the scope and role. If the operation does not require a workspace, end users need the right in at least one. */
function checkRole(actor: Actor, right: Right, workspace: Operation['workspace']): void {
  if (!hasScopeAndRole(actor, right)) {
    throw new AppError('forbidden', `This operation requires the role ${RIGHTS[right].role} or higher.`)
  }
  const isOutsideWorkspace = workspace === 'none' || workspace === 'optional' || workspace === 'inferred'
  if (!isOutsideWorkspace || RIGHTS[right].level === 'viewer' || actor.role !== 'end_user') return
  if (listPermittedWorkspaces(actor, right).length === 0) throw createWorkspaceLevelError(right)
}

/** Throws unless the actor has the right in the request's workspace. */
export function checkWorkspace({ credentialActor, actor, claims }: Admission, right: Right, workspaceId: number): void {
  if (!credentialActor.workspaces.has(workspaceId)) {
    throw new AppError('workspace_forbidden', `This token does not have access to workspace ${workspaceId}.`)
  }
  if (claims !== null) checkTenantOwnsWorkspace(credentialActor, workspaceId, claims.tenantId)
  if (!actor.workspaces.has(workspaceId)) {
    throw new AppError('workspace_forbidden', `Workspace ${workspaceId} is outside the context of this request.`)
  }
  if (!hasWorkspaceLevel(actor, right, workspaceId)) throw createWorkspaceLevelError(right)
}

function createWorkspaceLevelError(right: Right): AppError {
  const { level } = RIGHTS[right]
  const requirement = level === 'account' ? 'an account administrator' : `the "${level}" role in the workspace`
  return new AppError('forbidden', `This operation requires ${requirement}.`)
}

async function enforceRateLimit({ rateLimit }: AdmissionDependencies, key: string, reply: FastifyReply): Promise<void> {
  if (rateLimit.settings.perSecond === 0) return
  const pendingDecision = rateLimit.take(key)
  const decision = pendingDecision instanceof Promise ? await pendingDecision : pendingDecision
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

export interface RateLimitSettings {
  /** Tokens refilled per second; 0 disables the limit. */
  readonly perSecond: number
  /** Size of the bucket. */
  readonly burst: number
}

export interface RateDecision {
  readonly allowed: boolean
  readonly remaining: number
  /** Time until the bucket is full or, after a rejection, until the next request is allowed. */
  readonly waitMs: number
}

/** Takes one token from the bucket of a key. Asynchronous only for shared buckets. */
type TakeToken = (key: string) => RateDecision | Promise<RateDecision>

/** Creates an in-process rate limiter that allows `perSecond` requests on average and `burst` at a time. */
export function createRateLimiter(settings: RateLimitSettings, clock: Clock): (key: string) => RateDecision {
  const take = createTokenBuckets(settings, clock)
  return (key) => toDecision(settings, take(key))
}

/**
 * Creates a rate limiter with token buckets shared by all nodes. Falls back to local buckets if no response arrives in
 * time.
 */
export function createSharedRateLimiter(settings: RateLimitSettings, clock: Clock, shared: SharedBuckets): TakeToken {
  const takeLocally = createRateLimiter(settings, clock)
  return async (key) => {
    const level = await shared.take(key, settings)
    return level === null ? takeLocally(key) : toDecision(settings, level)
  }
}

function toDecision({ perSecond, burst }: RateLimitSettings, { isTaken, tokens }: BucketLevel): RateDecision {
  const missingTokens = isTaken ? burst - tokens : 1 - tokens
  const waitMs = Math.ceil((missingTokens / perSecond) * 1000)
  return { allowed: isTaken, remaining: isTaken ? Math.floor(tokens + TOKEN_ROUNDING) : 0, waitMs }
}
