import type { OutgoingHttpHeaders } from 'node:http'
import { listPaths, type Operation } from '@parley/contract/operation'
import fc from 'fast-check'
import { OWNER_TOKEN } from '../../testing/running-server.ts'
import { applyEdits, edits, hostileText, hostileValue } from './body-edits.ts'
import { ENDING_OPERATIONS } from './created-resources.ts'
import { type FormBody, formBody, formFile } from './form-body.ts'
import type { GeneratedScene } from './generated-scene.ts'
import type { KnownIds } from './known-ids.ts'
import type { RawRequest } from './raw-request.ts'
import { requiredQuery, validBodyFor, validPathValue } from './valid-request-parts.ts'

/** A request and whether it still addresses its operation, because its method and path can be malformed too. */
export interface MalformedRequest {
  readonly request: RawRequest
  readonly isRouted: boolean
}

/** Generates a value once in `times` cases, and null otherwise. */
function oneIn<Value>(times: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
}

/** Generates variations of one operation's requests. Each starts from a valid request. */
export function malformedRequest(operation: Operation, scene: GeneratedScene): fc.Arbitrary<MalformedRequest> {
  const { ids } = scene
  const parts = fc.record({
    alias: fc.boolean(),
    id: oneIn(5, hostileText),
    query: malformedQuery(operation, ids),
    // Each request gets a new valid body, because some values must be unique.
    body: fc.constant(null).chain(() => malformedBody(validBodyFor(operation, ids) ?? {})),
    form: operation.upload === undefined ? fc.constant(null) : oneIn(3, malformedForm(operation, ids)),
    method: oneIn(12, fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND')),
    headers: malformedHeaders(ids),
    tail: oneIn(20, fc.constantFrom('/', '/x', '%', '%zz', '%00', '//', ';a', '?', '#')),
  })
  return parts.map(({ alias, id, query, body, form, method, headers, tail }) => {
    const template = listPaths(operation)[alias ? 1 : 0]
    const isEnding = ENDING_OPERATIONS.has(operation.name) || method === 'DELETE'
    const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => {
      const known = validPathValue(operation, name, ids)
      const value = id ?? (isEnding ? unknownId(name, known) : known)
      return encodeURIComponent(value.toWellFormed()).slice(0, 9000) || 'x'
    })
    const verb = method ?? operation.method
    const hasBody = operation.body !== undefined && verb !== 'GET' && verb !== 'HEAD'
    return {
      isRouted: verb === operation.method && tail === null,
      request: {
        method: verb,
        path: `${path}${tail ?? ''}${query}`,
        headers: {
          ...credentials(operation, scene),
          ...(hasBody && { 'content-type': form?.contentType ?? 'application/json' }),
          ...headers,
        },
        body: hasBody ? (form?.text ?? body) : null,
      },
    }
  })
}

/** Returns an id without a resource. Workspace ids are sequential, so a nearby id may exist. */
function unknownId(parameter: string, known: string): string {
  return parameter === 'workspaceId' ? '2000000000' : `${known}0`
}

function credentials({ name, access }: Operation, { malformedSender, server }: GeneratedScene): OutgoingHttpHeaders {
  if (access !== 'session') return { authorization: `Bearer ${OWNER_TOKEN}` }
  // Uses an extra login, since later requests need the shared one.
  const cookie = name === 'logout' ? `parley_session=${'x'.repeat(43)}` : malformedSender.cookie
  return { cookie, origin: server.url }
}

function malformedQuery(operation: Operation, ids: KnownIds): fc.Arbitrary<string> {
  const names = [
    ...Object.keys(operation.query?.shape ?? {}),
    'workspaceId',
    'workspace_id',
    'version',
    'limit',
    'nothing',
    'from',
    '__proto__',
  ]
  const pair = fc.tuple(
    fc.oneof(fc.constantFrom(...names), hostileText),
    fc.oneof(hostileText, fc.constantFrom('1', '0', '-1', '1.5', 'NaN', '9999999999', 'latest', '2024-01-01')),
  )
  return fc.tuple(fc.boolean(), fc.array(pair, { maxLength: 3 })).map(([withWorkspace, pairs]) => {
    const parts = pairs.map(([name, value]) => `${percent(name)}=${percent(value)}`)
    if (withWorkspace && operation.workspace === 'query') {
      const validValue = Object.entries({ workspaceId: ids.workspaceId, ...requiredQuery(operation, ids) })
      parts.unshift(...validValue.map(([name, value]) => `${name}=${value}`))
    }
    return parts.length === 0 ? '' : `?${parts.join('&')}`
  })
}

function percent(text: string): string {
  return encodeURIComponent(text.toWellFormed()).slice(0, 6000)
}

function malformedBody(validValue: unknown): fc.Arbitrary<string | Buffer> {
  const edited = edits.map((changes) => JSON.stringify(applyEdits(validValue, changes)) ?? '')
  const text = JSON.stringify(validValue)
  return fc.oneof(
    { weight: 12, arbitrary: edited },
    { weight: 1, arbitrary: fc.nat(text.length).map((end) => text.slice(0, end)) },
    { weight: 1, arbitrary: hostileValue.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        '[',
        '{"a":1,"a":2}',
        '{"__proto__":{"x":1}}',
        '['.repeat(50_000),
        `${text}x`,
        `\ufeff${text}`,
      ),
    },
    { weight: 1, arbitrary: fc.nat(text.length).map((at) => `${text.slice(0, at)}\u0000${text.slice(at)}`) },
  )
}

/** A form with malformed fields, file or bytes. */
function malformedForm(operation: Operation, ids: KnownIds): fc.Arbitrary<FormBody> {
  const validValue = validBodyFor(operation, ids) as Readonly<Record<string, unknown>>
  const file = fc.record({ name: hostileText, contentType: headerText, text: hostileText })
  const parts = fc.record({
    fields: fc.oneof(
      fc.constant(validValue),
      edits.map((changes) => applyEdits(validValue, changes)),
    ),
    file: fc.oneof(formFile, file),
    type: oneIn(8, fc.constantFrom('multipart/form-data', 'multipart/form-data; boundary=""', 'multipart/mixed')),
    cut: oneIn(3, fc.nat(2000)),
    inserted: oneIn(4, fc.tuple(fc.nat(2000), fc.constantFrom('\u0000', '\r\n', '--boundary-of-generated-forms', '"'))),
  })
  return parts.map(({ fields, file: sent, type, cut, inserted }) => {
    const { contentType, text } = formBody(typeof fields === 'object' ? { ...fields } : {}, sent)
    const [at, more] = inserted ?? [0, '']
    const malformed = text.slice(0, at) + more + text.slice(at)
    return { contentType: type ?? contentType, text: malformed.slice(0, cut ?? undefined) }
  })
}

const CONTENT_TYPES = [
  'text/plain',
  'application/xml',
  'multipart/form-data',
  'application/json; charset=utf-16',
  'application/merge-patch+json',
  'APPLICATION/JSON',
  ';',
  '',
]

/** Headers that may get a malformed value. */
const NAMES = [
  'if-match',
  'idempotency-key',
  'last-event-id',
  'accept',
  'authorization',
  'x-actor-type',
  'x-provider-id',
  'x-tenant-id',
  'x-workspace-id',
  'cookie',
  'origin',
  'x-forwarded-for',
  'x-forwarded-host',
  'user-agent',
]

function malformedHeaders({ workspaceId, values }: KnownIds): fc.Arbitrary<OutgoingHttpHeaders> {
  const meaningfulValue = fc.constantFrom(
    ...['platform_admin', 'provider_admin', 'tenant_admin', 'end_user', 'Platform_Admin', values.tenantId],
    ...[values.providerId, String(workspaceId), '0', 'parley_session=', `parley_session=${'x'.repeat(43)}; a=b`],
    ...['null', 'http://127.0.0.1', '::1', '10.0.0.1, 10.0.0.2', '"1"', 'W/"1"', '*', '99999999999', '', 'é'],
  )
  const value = fc.oneof(meaningfulValue, meaningfulValue, headerText)
  const context = fc.record(
    { 'x-actor-type': value, 'x-provider-id': value, 'x-tenant-id': value, 'x-workspace-id': value },
    { requiredKeys: [] },
  )
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES).map((type) => ({ 'content-type': type })) },
    { weight: 5, arbitrary: fc.tuple(fc.constantFrom(...NAMES), value).map(([name, text]) => ({ [name]: text })) },
    { weight: 2, arbitrary: context },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/event-stream', 'text/event-stream;q=0').map((accept) => ({ accept })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<OutgoingHttpHeaders>(
        { 'idempotency-key': ['a', 'b'] },
        { 'x-workspace-id': ['1', '2'] },
        { cookie: ['a=b', 'parley_session=x'] },
        { expect: '200-ok' },
        { 'content-encoding': 'gzip' },
        { 'x-big': 'y'.repeat(14_000) },
      ),
    },
  )
}

/** Characters that Node allows in headers: printable Latin-1. */
const headerText: fc.Arbitrary<string> = fc
  .string({ maxLength: 300 })
  .map((text) => text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?'))
