import { type Access, RIGHTS, type Right } from '@parley/contract/access'
import type { Operation } from '@parley/contract/operation'
import type { Clock } from '@parley/engine/ports'
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
import {
  type BucketLevel,
  createTokenBuckets,
  networkOf,
  type SharedBuckets,
  TOKEN_ROUNDING,
} from '../kernel/security/rate-limits.ts'
import { isOwnOrigin, isSentOverHttps, readSessionCookie } from './request-context.ts'

/** Credentials of a request. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** Session cookie; used only without an `Authorization` header. */
  readonly session: string | null
}

export interface AdmissionDependencies {
  /** Resolves a token or session; `null` when missing, unknown, expired or revoked. */
  readonly authenticate: (credentials: Credentials) => Promise<Actor | null>
  readonly readTenantDirectory: () => Promise<TenantDirectory>
  /** Refreshes access data; whether it may have changed. */
  readonly renewAccess: () => Promise<boolean>
  readonly rateLimit: { readonly settings: RateLimitSettings; readonly take: TakeToken }
  /** Lower-case host of `BASE_URL`; null when not set. */
  readonly publicHost: string | null
  /** Browsers use HTTPS even when the proxy connects over HTTP. */
  readonly isPublicHttps: boolean
}

/** An admitted actor with its context headers. */
export interface Admitted {
  /** Actor of the credential. */
  readonly base: Actor
  /** Actor narrowed by context headers. */
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
/** Public operations under this path are for dashboard pages only. */
const SIGN_IN_PATH = '/api/auth/'
export const PUBLIC: Admitted = { base: NOBODY, actor: NOBODY, claims: null }

/** Authenticates, authorizes and rate-limits requests before their bodies are read. */
export function createAdmission(dependencies: AdmissionDependencies, operation: Operation) {
  const { access } = operation
  const isSignIn = operation.path.startsWith(SIGN_IN_PATH)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (access === 'public' || hasSignedLink(operation, request)) {
      await limitRate(dependencies, addressKey(request), reply)
      // Clients other than browsers send no origin. A foreign page must not sign its visitor in as somebody else.
      if (isSignIn && request.headers.origin !== undefined) checkOrigin(request, dependencies.publicHost)
      request.admitted = PUBLIC
      return
    }
    const base = await identify(dependencies, request)
    await limitRate(dependencies, base === null ? addressKey(request) : base.credentialId, reply)
    await admit(dependencies, operation, { request, base })
  }
}

/** Limits cover a whole network, so that changing the address within it does not help. */
const addressKey = ({ ip }: FastifyRequest): string => `ip:${networkOf(ip)}`

/** A signed link replaces the token; the handler verifies it. */
function hasSignedLink({ signedLinks }: Operation, { query, headers }: FastifyRequest): boolean {
  return (
    signedLinks === true &&
    headers.authorization === undefined &&
    (query as { signature?: unknown }).signature !== undefined
  )
}

/** Repeats the admission with current data. */
export async function recheckAdmission(
  dependencies: AdmissionDependencies,
  operation: Operation,
  request: FastifyRequest,
): Promise<Admitted> {
  return await admit(dependencies, operation, { request, base: await identify(dependencies, request) })
}

interface AdmittedStream {
  readonly request: FastifyRequest
  /** Current actor of the credential. */
  readonly base: Actor
  readonly workspaceId: number | null
}

/** Whether a running request would still be admitted. */
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
  // Set before the checks for the audit log.
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

/** A workspace in the request is compared with the header later. */
function boundsOf(claims: ContextClaims, { workspace }: Operation): ContextClaims {
  return workspace === 'none' || workspace === 'inferred' ? claims : { ...claims, workspaceId: null }
}

function unauthorized(access: Access): AppError {
  return access === 'session'
    ? new AppError('unauthorized', 'Log in first: this operation requires a dashboard session.')
    : new AppError('unauthorized', 'Send a valid API token as "Authorization: Bearer <token>".')
}

/** Browsers send cookies for any page; the origin shows whether it was ours. */
function checkOrigin(request: FastifyRequest, publicHost: string | null): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const ownHosts = [request.host.toLowerCase(), ...(publicHost === null ? [] : [publicHost])]
  if (isOwnOrigin(request.headers.origin, ownHosts)) return
  throw new AppError('forbidden', 'A dashboard session can change data only from its own pages: use an API token.')
}

function checkScope(actor: Actor, right: Right): void {
  const { scope } = RIGHTS[right]
  if (!actor.scopes.has(scope)) throw new AppError('forbidden', `This needs a token with the scope "${scope}".`)
}

function checkTenantContext({ actorType, tenantId }: ContextClaims): void {
  if (tenantId !== null || (actorType !== 'platform_admin' && actorType !== 'provider_admin')) return
  throw new AppError('tenant_context_required', `As ${actorType}, name the tenant in the header X-Tenant-Id.`)
}

/** Checks that need no workspace. */
function checkRole(actor: Actor, right: Right, workspace: Operation['workspace']): void {
  if (!hasScopeAndRole(actor, right)) {
    throw new AppError('forbidden', `This needs the role ${RIGHTS[right].role} or a higher one.`)
  }
  const isOutsideWorkspace = workspace === 'none' || workspace === 'optional' || workspace === 'inferred'
  if (!isOutsideWorkspace || RIGHTS[right].level === 'viewer' || actor.role !== 'end_user') return
  if (workspacesFor(actor, right).length === 0) throw forbiddenInWorkspace(right)
}

/** Whether the actor may do this in the request's workspace. */
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

export interface RateLimitSettings {
  /** Tokens refilled per second; 0 turns the limit off. */
  readonly perSecond: number
  /** Size of the bucket. */
  readonly burst: number
}

export interface RateDecision {
  readonly allowed: boolean
  readonly remaining: number
  /** Time until the bucket is full, or until the next request is allowed after a rejection. */
  readonly waitMs: number
}

/** Takes a token of a key; asynchronous only with shared buckets. */
type TakeToken = (key: string) => RateDecision | Promise<RateDecision>

/** In-process token buckets: `perSecond` on average, `burst` at once. */
export function createRateLimiter(settings: RateLimitSettings, clock: Clock): (key: string) => RateDecision {
  const take = createTokenBuckets(settings, clock)
  return (key) => toDecision(settings, take(key))
}

/** Token buckets shared by all nodes; falls back to local ones without a timely answer. */
export function createSharedRateLimiter(settings: RateLimitSettings, clock: Clock, shared: SharedBuckets): TakeToken {
  const takeLocally = createRateLimiter(settings, clock)
  return async (key) => {
    const level = await shared.take(key, settings)
    return level === null ? takeLocally(key) : toDecision(settings, level)
  }
}

function toDecision({ perSecond, burst }: RateLimitSettings, { isTaken, tokens }: BucketLevel): RateDecision {
  const missing = isTaken ? burst - tokens : 1 - tokens
  const waitMs = Math.ceil((missing / perSecond) * 1000)
  return { allowed: isTaken, remaining: isTaken ? Math.floor(tokens + TOKEN_ROUNDING) : 0, waitMs }
}
