import type { CreateTestCaseBody, TestCase, TestCaseType, UpdateTestCaseBody } from '@parley/contract/test-case'
import { editFields, pickFields } from '../../kernel/api/edits.ts'
import { invalidField } from '../../kernel/errors.ts'

const DEFINITION_FIELDS = [
  'description',
  'user_prompt',
  'metrics',
  'dynamic_variables',
  'tool_mocks',
  'llm_model',
  'max_turns',
] as const satisfies readonly (keyof TestCase)[]

/** Stored fields of a test case. */
export type TestCaseDefinition = Pick<TestCase, (typeof DEFINITION_FIELDS)[number]>

/** The tested engine. If the version is null, the latest version is tested. */
export interface TestedEngine {
  readonly kind: TestCaseType
  readonly id: string
  readonly version: number | null
}

/** The fields of a test case that a write changes. */
export interface TestCaseContent {
  readonly name: string
  readonly engine: TestedEngine
  readonly definition: TestCaseDefinition
}

/** The API field that contains the engine id, by engine kind. */
export const ENGINE_FIELDS = {
  llm: 'llm_id',
  'conversation-flow': 'conversation_flow_id',
} as const satisfies Record<TestCaseType, string>

export function defineTestCase(body: CreateTestCaseBody): TestCaseContent {
  const engine = getRequestedEngine(body)
  if (engine === null) throw createMissingEngineError()
  return {
    name: body.name,
    engine: { ...engine, version: body.version },
    definition: pickFields(DEFINITION_FIELDS, body),
  }
}

/** Applies a PATCH body. Absent fields keep their values. Throws `invalid_request` if the body removes the engine. */
export function editTestCase(current: TestCaseContent, body: UpdateTestCaseBody): TestCaseContent {
  return {
    name: body.name ?? current.name,
    engine: editEngine(current.engine, body),
    definition: editFields(DEFINITION_FIELDS, current.definition, body),
  }
}

/**
 * Applies the engine fields of a PATCH body. A different engine without a version uses its latest version.
 */
function editEngine(current: TestedEngine, body: UpdateTestCaseBody): TestedEngine {
  const requestedEngine = getRequestedEngine(body)
  if (requestedEngine === null && body[ENGINE_FIELDS[current.kind]] === null) throw createMissingEngineError()
  const engine = requestedEngine ?? current
  const isSameEngine = engine.id === current.id && engine.kind === current.kind
  const version = body.version === undefined ? (isSameEngine ? current.version : null) : body.version
  return { kind: engine.kind, id: engine.id, version }
}

function getRequestedEngine(
  body: Pick<UpdateTestCaseBody, 'llm_id' | 'conversation_flow_id'>,
): Pick<TestedEngine, 'kind' | 'id'> | null {
  if (typeof body.llm_id === 'string') return { kind: 'llm', id: body.llm_id }
  if (typeof body.conversation_flow_id === 'string') return { kind: 'conversation-flow', id: body.conversation_flow_id }
  return null
}

const createMissingEngineError = () => invalidField('llm_id', 'is required unless "conversation_flow_id" is set')
