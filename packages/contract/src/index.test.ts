import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from './index.ts'
import { listPaths, type Operation } from './operation.ts'

const operationEntries = Object.entries<Operation>(operations)

test('names and routes are unique under both prefixes', () => {
  expect(operationEntries.map(([key]) => key)).toEqual(operationEntries.map(([, operation]) => operation.name))
  const routes = operationEntries.flatMap(([, operation]) =>
    listPaths(operation).map((path) => `${operation.method} ${path}`),
  )
  expect(new Set(routes).size).toBe(routes.length)
})

describe.each(operationEntries)('%s', (_, operation) => {
  test('has a summary and a sentence as description', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.description).toMatch(/^[A-Z].*\.$/)
  })

  test('declares exactly the parameters of its path', () => {
    const placeholders = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(operation.pathParameters?.shape ?? {})).toEqual(placeholders)
  })

  test('accepts the workspace where its method requires it', () => {
    const { workspace } = operation
    if (workspace === 'none' || workspace === 'inferred') return
    const inQuery = operation.method === 'GET' || operation.method === 'DELETE'
    if (workspace === 'optional') expect(operation.method).toBe('GET')
    else if (workspace !== 'path') expect(workspace).toBe(inQuery ? 'query' : 'body')
    const part = { query: operation.query, optional: operation.query, body: operation.body, path: undefined }[workspace]
    const named = workspace === 'path' ? operation.pathParameters : part
    expect(named instanceof z.ZodObject && 'workspaceId' in named.shape).toBe(true)
  })

  test('has a response body unless its status is 204', () => {
    const streamsOnly = operation.name === 'getTurnEvents' || operation.name === 'getCallEvents'
    const isBinary = operation.mediaType !== undefined
    expect(operation.result === undefined).toBe(operation.status === 204 || streamsOnly || isBinary)
    // Some session operations return no content.
    const isDone = ['logout', 'changePassword', 'confirmPassword', 'resetPassword'].includes(operation.name)
    expect(operation.status === 204).toBe(operation.method === 'DELETE' || isDone)
  })

  test('lists the conflict that If-Match can cause', () => {
    const { features, method, pathParameters, errors } = operation
    const isSingleResourceWrite =
      features?.includes('etag') === true && method !== 'GET' && pathParameters !== undefined
    if (isSingleResourceWrite) expect(errors).toContain('version_conflict')
  })

  test('prints as JSON Schema', () => {
    for (const part of [operation.pathParameters, operation.query, operation.body]) {
      if (part) expect(JSON.stringify(z.toJSONSchema(part, { io: 'input' }))).toContain('"properties"')
    }
    if (operation.result) expect(JSON.stringify(z.toJSONSchema(operation.result, { io: 'output' }))).toContain('"type"')
  })

  // Without discriminators, validation errors could not name fields.
  test('discriminates the objects of its body by a field', () => {
    if (operation.body) expect(findUndiscriminatedUnions(operation.body)).toEqual([])
  })

  test('always returns every field', () => {
    if (operation.result) expect(listOptionalPaths(operation.result)).toEqual([])
  })
})

const ECHOED_FIELDS = ['general_tools', 'states', 'mcps', 'components', 'notes']

/**
 * Returns the paths of optional fields. Engine parts are returned in the form in which they were sent, so their fields are
 * optional.
 */
function listOptionalPaths(schema: z.core.$ZodType, path = ''): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'array') return listOptionalPaths(def.element, `${path}[]`)
  if (def.type === 'nullable') return listOptionalPaths(def.innerType, path)
  if (def.type === 'optional' || def.type === 'default' || def.type === 'pipe') return [path]
  if (def.type !== 'object') return []
  return Object.entries(def.shape)
    .filter(([key]) => !ECHOED_FIELDS.includes(key))
    .flatMap(([key, child]) => listOptionalPaths(child, `${path}.${key}`))
}

/** Returns the paths of object unions without a discriminator. */
function findUndiscriminatedUnions(schema: z.core.$ZodType, path = '', seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const { def } = (schema as z.core.$ZodTypes)._zod
  const inside = (child: z.core.$ZodType, name = ''): string[] => findUndiscriminatedUnions(child, path + name, seen)
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([key, child]) => inside(child, `.${key}`))
    case 'array':
      return inside(def.element, '[]')
    case 'union': {
      const objects = def.options.filter(({ _zod }) => ['object', 'union'].includes(_zod.def.type))
      const isUndiscriminated = objects.length > 1 && !('discriminator' in def)
      return [...(isUndiscriminated ? [path] : []), ...def.options.flatMap((option) => inside(option))]
    }
    case 'pipe':
      return inside(def.in)
    case 'lazy':
      return inside(def.getter())
    default:
      return 'innerType' in def ? inside(def.innerType) : []
  }
}
