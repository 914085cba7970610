import type { OutgoingHttpHeaders } from 'node:http'
import { listPaths, type Operation, takesIdempotencyKey } from '@parley/contract/operation'
import { createArbitrary } from '@parley/contract/testing/schema-arbitrary'
import fc from 'fast-check'
import { OWNER_TOKEN } from '../../testing/running-server.ts'
import { SHARED_VOICES } from '../../testing/voice-server/voice-library.ts'
import { ENDING_OPERATIONS, type PathValues } from './created-resources.ts'
import { formBody, formFile } from './form-body.ts'
import type { GeneratedScene } from './generated-scene.ts'
import type { RawRequest } from './raw-request.ts'
import { validGraph, validStates } from './valid-graph.ts'
import { unknownId, validBodyFor, validPathValue } from './valid-request-parts.ts'
import { bodyValues, queryValues } from './valid-values.ts'

/** A request that should succeed. The resource that it deletes is chosen when it is sent. */
export type ValidRequest = () => RawRequest

type Fields = Readonly<Record<string, unknown>>

/** Generates requests of one operation from its schemas. */
export function validRequest(operation: Operation, scene: GeneratedScene): fc.Arbitrary<ValidRequest> {
  const parts = fc.record({
    alias: fc.boolean(),
    query: validQuery(operation, scene),
    body: validBody(operation, scene),
    headers: validHeaders(operation, scene),
    address: fc.ipV4(),
    file: operation.upload === undefined ? fc.constant(null) : fc.option(formFile, { freq: 3 }),
  })
  return parts.map(({ alias, query, body, headers, address, file }) => () => {
    const consumed = ENDING_OPERATIONS.has(operation.name) ? (scene.created.take(operation.name) ?? {}) : null
    const path = listPaths(operation)[alias ? 1 : 0].replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(pathValue(operation, name, { scene, consumed })),
    )
    const form = file === null ? null : formBody(body as Fields, file)
    return {
      method: operation.method,
      path: path + query,
      headers: {
        ...credentials(operation, scene),
        ...(body !== undefined && { 'content-type': form?.contentType ?? 'application/json' }),
        // Logins from one network are throttled together, and malformed ones fail.
        ...(operation.access === 'public' && { 'x-forwarded-for': address }),
        ...headers,
      },
      body: body === undefined ? null : (form?.text ?? JSON.stringify(withLink(operation, body, scene))),
    }
  })
}

/** Operations whose target is not the last path parameter. */
const ACTS_ON_WHOLE_RESOURCE: ReadonlySet<string> = new Set([
  'endChat',
  'analyseChat',
  'endCall',
  'deleteCallRecording',
])

interface Choice {
  readonly scene: GeneratedScene
  /** Resource that the operation deletes, or null if it deletes nothing. */
  readonly consumed: PathValues | null
}

function pathValue(operation: Operation, name: string, { scene: { ids }, consumed }: Choice): string {
  const known = validPathValue(operation, name, ids)
  if (consumed === null) return known
  // The last parameter names the deleted resource, and earlier ones name its parents.
  if (!operation.path.endsWith(`{${name}}`) && !ACTS_ON_WHOLE_RESOURCE.has(operation.name)) return known
  return consumed[name] ?? (name === 'workspaceId' ? '2000000000' : unknownId('nothing'))
}

function credentials({ name, access }: Operation, { signedInUser, passwordChanger, created, server }: GeneratedScene) {
  if (access === 'public') return {}
  if (access !== 'session') return { authorization: `Bearer ${OWNER_TOKEN}` }
  const origin = server.url
  // Ends a spare session, or an unknown one if none is left.
  if (name === 'logout') return { origin, cookie: created.takeCookie() ?? `parley_session=${'x'.repeat(43)}` }
  return { origin, cookie: name === 'changePassword' ? passwordChanger.cookie : signedInUser.cookie }
}

function withLink({ name }: Operation, body: unknown, { created }: GeneratedScene): unknown {
  const token = name === 'resetPassword' ? created.takeLinkToken() : null
  return token === null ? body : { ...(body as Fields), token }
}

function validQuery(operation: Operation, scene: GeneratedScene): fc.Arbitrary<string> {
  if (operation.query === undefined) return fc.constant('')
  return createArbitrary(operation.query, queryValues(operation, scene)).map((values) => {
    const text = new URLSearchParams(values as Record<string, string>).toString()
    return text === '' ? '' : `?${text}`
  })
}

/** Generates bodies. One in six is handwritten, because schemas do not express every rule. */
function validBody(operation: Operation, scene: GeneratedScene): fc.Arbitrary<unknown> {
  const { body: schema } = operation
  if (schema === undefined) return fc.constant(undefined)
  const good = fc.constant(null).map(() => validBodyFor(operation, scene.ids) as Fields)
  const generated = fc.tuple(createArbitrary(schema, bodyValues(operation, scene)), good).map(([value, known]) => {
    const fixed = fix(operation, value as Fields)
    return schema.safeParse(fixed).success ? fixed : known
  })
  // The handwritten bodies of these operations change resources that this test keeps.
  if (['login', 'changePassword', 'confirmPassword', 'updateBranding', 'createProviderKey'].includes(operation.name))
    return generated
  return fc.oneof({ weight: 5, arbitrary: generated }, { weight: 1, arbitrary: good })
}

function fix({ name }: Operation, body: Fields): Fields {
  if (/Flow(Component)?$/.test(name) && 'nodes' in body) {
    const graphBody = validGraph(body)
    return 'nodes' in graphBody ? graphBody : { ...graphBody, replaceNodes: undefined }
  }
  if (/^(create|update)Llm$/.test(name)) return validStates(body)
  if (Array.isArray(body.crawl)) {
    const sites = body.crawl as readonly { readonly path: string }[]
    const first = sites.filter(({ path }, at) => sites.findIndex((site) => site.path === path) === at)
    return { ...body, crawl: first }
  }
  if (name !== 'createVoice') return body
  // A voice that exists at the provider.
  const voice = SHARED_VOICES[String(body.name).length % SHARED_VOICES.length]
  return { ...body, voiceProvider: 'elevenlabs', providerVoiceId: voice?.id, publicUserId: voice?.owner }
}

/** Generates headers. A few requests carry an idempotency key, or context headers that keep the scene accessible. */
function validHeaders(operation: Operation, { ids }: GeneratedScene): fc.Arbitrary<OutgoingHttpHeaders> {
  const { workspaceId, values } = ids
  const context = fc.record(
    {
      'x-actor-type': fc.constantFrom('platform_admin', 'provider_admin', 'tenant_admin', 'end_user'),
      'x-tenant-id': fc.constant(values.tenantId),
      'x-provider-id': fc.constant(values.providerId),
      'x-workspace-id': fc.constant(String(workspaceId)),
    },
    { requiredKeys: ['x-tenant-id'] },
  )
  const key = fc.uuid().map((uuid): OutgoingHttpHeaders => ({ 'idempotency-key': uuid }))
  const plain = { weight: 10, arbitrary: fc.constant<OutgoingHttpHeaders>({}) }
  const keyed = takesIdempotencyKey(operation) ? [{ weight: 2, arbitrary: key }] : []
  const inContext = operation.access === 'public' ? [] : [{ weight: 1, arbitrary: context }]
  return fc.oneof(plain, ...keyed, ...inContext)
}
