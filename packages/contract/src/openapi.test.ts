import { describe, expect, test } from 'vitest'
import { operations } from './index.ts'
import { addKnowledgeSources } from './knowledge-base.ts'
import { openApiDocument } from './openapi.ts'
import type { Operation } from './operation.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  /** Absent where the parameter is a reference. */
  readonly schema?: { readonly type?: string }
}

interface Property {
  readonly $ref?: string
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Property>>
}

interface Described {
  readonly operationId: string
  readonly parameters?: readonly (Parameter & Property)[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Property }>> }
  readonly responses: Record<string, unknown>
}

const all: readonly Operation[] = Object.values(operations)
const document = openApiDocument(all) as {
  openapi: string
  info: { version: string }
  paths: Record<string, Record<string, Described>>
}

function described(operation: Operation): Described | undefined {
  return document.paths[operation.path]?.[operation.method.toLowerCase()]
}

/** Every value in the document with the key it stands under. */
function* walk(value: unknown, key = ''): Generator<[string, unknown]> {
  yield [key, value]
  if (typeof value !== 'object' || value === null) return
  for (const [inner, item] of Object.entries(value)) yield* walk(item, inner)
}

function resolve(reference: string): unknown {
  const steps = reference.replace('#/', '').split('/')
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document)
}

/** The fields of its body, as the document prints them. */
function bodyFields(operation: Operation): Readonly<Record<string, Property>> {
  const schema = described(operation)?.requestBody?.content['application/json']?.schema
  const body = schema?.$ref === undefined ? schema : (resolve(schema.$ref) as Property)
  return body?.properties ?? {}
}

describe('the API description', () => {
  test('is OpenAPI 3.1 of the fixed version', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('2026-04-20')
  })

  test.each(all.map((operation) => [operation.name, operation] as const))(
    '%s is described in full',
    (name, operation) => {
      const found = described(operation)
      expect(found?.operationId).toBe(name)
      const names = (place: string) =>
        found?.parameters?.filter((item) => item.in === place).map((item) => item.name) ?? []
      expect(names('path')).toEqual(Object.keys(operation.pathParameters?.shape ?? {}))
      expect(names('path').sort()).toEqual([...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort())
      expect(names('query')).toEqual(Object.keys(operation.query?.shape ?? {}))
      expect(found?.requestBody !== undefined).toBe(operation.body !== undefined)
      expect(Object.keys(found?.responses ?? {})).toContain(String(operation.status))
      expect(found?.responses).toHaveProperty(['500'])
    },
  )

  test.each(
    all
      .filter(({ workspace }) => workspace !== 'none' && workspace !== 'inferred')
      .map((operation) => [operation.name, operation] as const),
  )('%s says where the workspace goes', (_name, operation) => {
    const parts = { query: operation.query, optional: operation.query, path: operation.pathParameters }
    const part = parts[operation.workspace as keyof typeof parts] ?? operation.body
    expect(JSON.stringify(described(operation)) + Object.keys((part as { shape?: object })?.shape ?? {})).toContain(
      'workspaceId',
    )
  })

  test('whatever is not a read may be refused for its body', () => {
    for (const operation of all.filter(({ method }) => method !== 'GET')) {
      expect(Object.keys(described(operation)?.responses ?? {}), operation.name).toEqual(
        expect.arrayContaining(['413', '415']),
      )
    }
  })

  test('numbers in queries and paths are integers, not text', () => {
    const types = new Map<string, unknown>()
    for (const operation of all) {
      for (const parameter of described(operation)?.parameters ?? []) types.set(parameter.name, parameter.schema?.type)
    }
    expect(types.get('workspaceId')).toBe('integer')
    expect(types.get('limit')).toBe('integer')
    expect(types.get('paginationKeyVersion')).toBe('integer')
  })

  test('headers are described where they count', () => {
    const headersOf = (operation: Operation) =>
      described(operation)
        ?.parameters?.filter((parameter) => parameter.in === 'header')
        .map((parameter) => parameter.name)
    expect(headersOf(operations.createAgent)).toEqual(['Idempotency-Key'])
    expect(headersOf(operations.updateAgent)).toEqual(['If-Match'])
    expect(headersOf(operations.deleteAgent)).toEqual(['If-Match'])
    expect(headersOf(operations.saveAgentDraft)).toEqual([])
    expect(headersOf(operations.getTurnEvents)).toEqual(['Last-Event-ID'])
  })

  test('what a body or a key can lead to is described', () => {
    expect(Object.keys(described(operations.createAgent)?.responses ?? {})).toEqual(
      expect.arrayContaining(['409', '413', '415', '422']),
    )
    expect(Object.keys(described(operations.getAgent)?.responses ?? {})).not.toContain('415')
  })

  test.each(all.map((operation) => [operation.name, operation] as const))(
    '%s says what each parameter and field of its body means',
    (_name, operation) => {
      const parameters = (described(operation)?.parameters ?? []).map((parameter): [string, Property] =>
        parameter.$ref === undefined
          ? [parameter.name, parameter]
          : [parameter.$ref, resolve(parameter.$ref) as Property],
      )
      const fields = [...parameters, ...Object.entries(bodyFields(operation))]
      expect(Object.keys(bodyFields(operation)).length > 0).toBe(operation.body !== undefined)
      expect(fields.filter(([, { description = '' }]) => description.trim() === '').map(([name]) => name)).toEqual([])
    },
  )

  test('defaults of body fields are told, whether the field is read as it is written or not', () => {
    expect(bodyFields(operations.createAgent)).toMatchObject({
      agent_name: { default: '' },
      response_threshold: { default: 400 },
      fallback_message: { default: null },
    })
    expect(bodyFields(operations.updateAgent).response_threshold).not.toHaveProperty('default')
  })

  test('what is said of a value is said of the field that may be null', () => {
    const field = bodyFields(operations.createLlm).begin_message
    expect(field).toMatchObject({
      description: expect.stringContaining('the user begins'),
      anyOf: [{}, { type: 'null' }],
    })
    expect(JSON.stringify(field).match(/description/g)).toHaveLength(1)
  })

  test('an operation that takes uploads takes its body as a form as well, with files', () => {
    const { paths } = openApiDocument([addKnowledgeSources]) as typeof document
    const content = paths[addKnowledgeSources.path]?.post?.requestBody?.content
    const body = content?.['application/json']?.schema
    expect(body?.$ref).toMatch(/AddKnowledgeSourcesBody/)
    const files = {
      type: 'array',
      items: { type: 'string', format: 'binary' },
      maxItems: 25,
      description: expect.stringContaining('25 files of 50 MiB each and 100 MiB in all'),
    }
    const form = { allOf: [body, { type: 'object', properties: { files } }] }
    expect(content?.['multipart/form-data']?.schema).toEqual(form)
    const forms = all.filter((operation) => described(operation)?.requestBody?.content['multipart/form-data'])
    expect(forms).toEqual(all.filter(({ upload }) => upload !== undefined))
  })

  test('every reference leads somewhere', () => {
    const references = [...walk(document)].filter(([key]) => key === '$ref').map(([, value]) => String(value))
    expect(references.length).toBeGreaterThan(0)
    expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([])
  })

  test('holds nothing that only the printer needs', () => {
    const keys = new Set([...walk(document)].map(([key]) => key))
    for (const key of ['x-print', '$defs', '$schema', 'undefined', '']) expect(keys.has(key) && key !== '').toBe(false)
    expect(JSON.stringify(document)).not.toContain('#/$defs')
  })

  test('is the same however often it is printed', () => {
    expect(JSON.stringify(openApiDocument(all))).toBe(JSON.stringify(document))
  })

  test('operation ids are unique and every tag is explained', () => {
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((one) => one.operationId))
    expect(new Set(ids).size).toBe(all.length)
    const tags = (openApiDocument(all) as { tags: { name: string }[] }).tags.map((tag) => tag.name)
    for (const operation of all) expect(tags).toContain(operation.tag)
  })
})
