import { describe, expect, test } from 'vitest'
import { operations } from './index.ts'
import { addKnowledgeSources } from './knowledge-base.ts'
import { buildOpenApiDocument } from './openapi.ts'
import type { Operation } from './operation.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  /** Absent for references. */
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

const allOperations: readonly Operation[] = Object.values(operations)
const document = buildOpenApiDocument(allOperations) as {
  openapi: string
  info: { version: string }
  paths: Record<string, Record<string, Described>>
}

function getDescribedFields(operation: Operation): Described | undefined {
  return document.paths[operation.path]?.[operation.method.toLowerCase()]
}

/** Yields every value in the document with its key. */
function* walkValues(value: unknown, key = ''): Generator<[string, unknown]> {
  yield [key, value]
  if (typeof value !== 'object' || value === null) return
  for (const [childName, item] of Object.entries(value)) yield* walkValues(item, childName)
}

function resolveReference(reference: string): unknown {
  const steps = reference.replace('#/', '').split('/')
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], document)
}

/** Returns the body fields of an operation in the document. */
function getBodyFields(operation: Operation): Readonly<Record<string, Property>> {
  const schema = getDescribedFields(operation)?.requestBody?.content['application/json']?.schema
  const body = schema?.$ref === undefined ? schema : (resolveReference(schema.$ref) as Property)
  return body?.properties ?? {}
}

describe('OpenAPI document', () => {
  test('is OpenAPI 3.1 with a fixed version', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('2026-04-20')
  })

  test.each(allOperations.map((operation) => [operation.name, operation] as const))(
    '%s is complete',
    (name, operation) => {
      const describedFields = getDescribedFields(operation)
      expect(describedFields?.operationId).toBe(name)
      const names = (place: string) =>
        describedFields?.parameters?.filter((item) => item.in === place).map((item) => item.name) ?? []
      expect(names('path')).toEqual(Object.keys(operation.pathParameters?.shape ?? {}))
      expect(names('query')).toEqual(Object.keys(operation.query?.shape ?? {}))
      expect(describedFields?.requestBody !== undefined).toBe(operation.body !== undefined)
      expect(Object.keys(describedFields?.responses ?? {})).toContain(String(operation.status))
      expect(describedFields?.responses).toHaveProperty(['500'])
    },
  )

  test('operations other than reads describe errors of the body', () => {
    for (const operation of allOperations.filter(({ method }) => method !== 'GET')) {
      expect(Object.keys(getDescribedFields(operation)?.responses ?? {}), operation.name).toEqual(
        expect.arrayContaining(['413', '415']),
      )
    }
  })

  test('numbers in queries and paths are integers', () => {
    const types = new Map<string, unknown>()
    for (const operation of allOperations) {
      for (const parameter of getDescribedFields(operation)?.parameters ?? [])
        types.set(parameter.name, parameter.schema?.type)
    }
    expect(types.get('workspaceId')).toBe('integer')
    expect(types.get('limit')).toBe('integer')
    expect(types.get('paginationKeyVersion')).toBe('integer')
  })

  test('headers are described where they apply', () => {
    const headersOf = (operation: Operation) =>
      getDescribedFields(operation)
        ?.parameters?.filter((parameter) => parameter.in === 'header')
        .map((parameter) => parameter.name)
    expect(headersOf(operations.createAgent)).toEqual(['Idempotency-Key'])
    expect(headersOf(operations.updateAgent)).toEqual(['If-Match'])
    expect(headersOf(operations.deleteAgent)).toEqual(['If-Match'])
    expect(headersOf(operations.saveAgentDraft)).toEqual([])
    expect(headersOf(operations.getTurnEvents)).toEqual(['Last-Event-ID'])
  })

  test('errors caused by bodies and idempotency keys are described', () => {
    expect(Object.keys(getDescribedFields(operations.createAgent)?.responses ?? {})).toEqual(
      expect.arrayContaining(['409', '413', '415', '422']),
    )
    expect(Object.keys(getDescribedFields(operations.getAgent)?.responses ?? {})).not.toContain('415')
  })

  test.each(allOperations.map((operation) => [operation.name, operation] as const))(
    '%s describes all parameters and body fields',
    (_name, operation) => {
      const parameters = (getDescribedFields(operation)?.parameters ?? []).map((parameter): [string, Property] =>
        parameter.$ref === undefined
          ? [parameter.name, parameter]
          : [parameter.$ref, resolveReference(parameter.$ref) as Property],
      )
      const fields = [...parameters, ...Object.entries(getBodyFields(operation))]
      expect(Object.keys(getBodyFields(operation)).length > 0).toBe(operation.body !== undefined)
      expect(fields.filter(([, { description = '' }]) => description.trim() === '').map(([name]) => name)).toEqual([])
    },
  )

  test('shows defaults of body fields, whether parsing transforms them or not', () => {
    expect(getBodyFields(operations.createAgent)).toMatchObject({
      agent_name: { default: '' },
      response_threshold: { default: 400 },
      fallback_message: { default: null },
    })
    expect(getBodyFields(operations.updateAgent).response_threshold).not.toHaveProperty('default')
  })

  test('moves descriptions of nullable values to the field', () => {
    const field = getBodyFields(operations.createLlm).begin_message
    expect(field).toMatchObject({
      description: expect.stringContaining('the user starts'),
      anyOf: [{}, { type: 'null' }],
    })
    expect(JSON.stringify(field).match(/description/g)).toHaveLength(1)
  })

  test('operations with uploads also accept a form with files', () => {
    const { paths } = buildOpenApiDocument([addKnowledgeSources]) as typeof document
    const content = paths[addKnowledgeSources.path]?.post?.requestBody?.content
    const body = content?.['application/json']?.schema
    expect(body?.$ref).toMatch(/AddKnowledgeSourcesBody/)
    const files = {
      type: 'array',
      items: { type: 'string', format: 'binary' },
      maxItems: 25,
      description: expect.stringContaining('25 files of 50 MiB each and 100 MiB in total'),
    }
    const form = { allOf: [body, { type: 'object', properties: { files } }] }
    expect(content?.['multipart/form-data']?.schema).toEqual(form)
    const forms = allOperations.filter(
      (operation) => getDescribedFields(operation)?.requestBody?.content['multipart/form-data'],
    )
    expect(forms).toEqual(allOperations.filter(({ upload }) => upload !== undefined))
  })

  test('all references resolve', () => {
    const references = [...walkValues(document)].filter(([key]) => key === '$ref').map(([, value]) => String(value))
    expect(references.length).toBeGreaterThan(0)
    expect(references.filter((reference) => resolveReference(reference) === undefined)).toEqual([])
  })

  test('contains no internal keywords', () => {
    const keys = new Set([...walkValues(document)].map(([key]) => key))
    for (const key of ['x-print', '$defs', '$schema', 'undefined', '']) expect(keys.has(key) && key !== '').toBe(false)
    expect(JSON.stringify(document)).not.toContain('#/$defs')
  })

  test('is deterministic', () => {
    expect(JSON.stringify(buildOpenApiDocument(allOperations))).toBe(JSON.stringify(document))
  })

  test('operation IDs are unique and every tag is described', () => {
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((one) => one.operationId))
    expect(new Set(ids).size).toBe(allOperations.length)
    const tags = (buildOpenApiDocument(allOperations) as { tags: { name: string }[] }).tags.map((tag) => tag.name)
    for (const operation of allOperations) expect(tags).toContain(operation.tag)
  })
})
