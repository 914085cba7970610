import type { TestCase } from '@parley/contract/test-case'
import { objectOf, type Pair, pairsOf } from '../../components/strings-field.tsx'
import type { RequestParts } from '../../lib/api/request.ts'
import { type Engine, engineBody } from '../../parts/test-case/engine.ts'
import type { CustomData } from '../../parts/transcript/custom-data.ts'

export interface MockDraft {
  readonly tool: string
  readonly rule: 'any' | 'partial_match'
  /** Text, so that invalid JSON is kept while typing. */
  readonly argumentsText: string
  readonly output: string
  readonly result: boolean | null
}

/** An edited test case. Responses do not say whether a version is pinned, so `keep` means the stored one. */
export interface TestCaseDraft {
  readonly name: string
  readonly description: string
  readonly engine: Engine
  readonly version: 'keep' | 'newest' | number
  readonly user_prompt: string
  readonly metrics: readonly string[]
  readonly dynamic_variables: readonly Pair[]
  readonly tool_mocks: readonly MockDraft[]
  readonly llm_model: string
  readonly max_turns: number | null
}

export const NEW_MOCK: MockDraft = { tool: '', rule: 'any', argumentsText: '{}', output: '', result: null }

export function draftOf(testCase: TestCase): TestCaseDraft {
  return {
    name: testCase.name,
    description: testCase.description,
    engine: engineOf(testCase),
    version: 'keep',
    user_prompt: testCase.user_prompt,
    metrics: testCase.metrics,
    dynamic_variables: pairsOf(testCase.dynamic_variables),
    tool_mocks: testCase.tool_mocks.map(({ tool_name: tool, input_match_rule: rule, output, result }) => ({
      tool,
      rule: rule.type,
      argumentsText: rule.type === 'any' ? '{}' : JSON.stringify(rule.args, null, 2),
      output,
      result,
    })),
    llm_model: testCase.llm_model ?? '',
    max_turns: testCase.max_turns,
  }
}

export function engineOf({ type, llm_id: llmId, conversation_flow_id: flowId }: TestCase): Engine {
  return { kind: type, id: type === 'llm' ? llmId : flowId }
}

type TestCaseBody = RequestParts<'updateTestCase'>['body']
type MockBody = NonNullable<NonNullable<TestCaseBody['tool_mocks']>[number]>

/** The request body of the edits; the server validates it. */
export function bodyOf(edits: Partial<TestCaseDraft>): TestCaseBody {
  const { engine, version, metrics, dynamic_variables: variables, tool_mocks: mocks, llm_model: model, ...same } = edits
  return {
    ...same,
    ...(engine !== undefined && engineBody(engine)),
    ...(version !== undefined && version !== 'keep' && { version: version === 'newest' ? null : version }),
    ...(metrics !== undefined && { metrics: [...metrics] }),
    ...(variables !== undefined && { dynamic_variables: objectOf(variables) }),
    ...(mocks !== undefined && { tool_mocks: mocks.map(mockBody) }),
    ...(model !== undefined && { llm_model: model === '' ? null : model }),
  }
}

function mockBody({ tool, rule, argumentsText, output, result }: MockDraft): MockBody {
  return {
    tool_name: tool,
    input_match_rule: rule === 'any' ? { type: rule } : { type: rule, args: argumentsOf(argumentsText) },
    output,
    result,
  }
}

/** The JSON of a text, or the text itself, which the server rejects with its path. */
function argumentsOf(text: string): CustomData {
  try {
    return JSON.parse(text)
  } catch {
    return text as unknown as CustomData
  }
}
