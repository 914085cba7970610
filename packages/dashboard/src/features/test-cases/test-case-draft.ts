import type { TestCase } from '@parley/contract/test-case'
import { type Pair, toObject, toPairs } from '../../components/strings-field.tsx'
import type { RequestParams } from '../../lib/api/request.ts'
import { type Engine, toEngineBody } from '../../parts/test-case/engine.ts'
import type { CustomData } from '../../parts/transcript/custom-data.ts'

export interface MockDraft {
  readonly tool: string
  readonly rule: 'any' | 'partial_match'
  /** Unparsed, so that invalid JSON is kept while the user types. */
  readonly argumentsText: string
  readonly output: string
  readonly result: boolean | null
}

/** An edited test case. Responses do not include whether a version is pinned, so `keep` selects the stored version. */
export interface TestCaseDraft {
  readonly name: string
  readonly description: string
  readonly engine: Engine
  readonly version: 'keep' | 'latest' | number
  readonly user_prompt: string
  readonly metrics: readonly string[]
  readonly dynamic_variables: readonly Pair[]
  readonly tool_mocks: readonly MockDraft[]
  readonly llm_model: string
  readonly max_turns: number | null
}

export const NEW_MOCK: MockDraft = { tool: '', rule: 'any', argumentsText: '{}', output: '', result: null }

export function toTestCaseDraft(testCase: TestCase): TestCaseDraft {
  return {
    name: testCase.name,
    description: testCase.description,
    engine: toEngine(testCase),
    version: 'keep',
    user_prompt: testCase.user_prompt,
    metrics: testCase.metrics,
    dynamic_variables: toPairs(testCase.dynamic_variables),
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

export function toEngine({ type, llm_id: llmId, conversation_flow_id: flowId }: TestCase): Engine {
  return { kind: type, id: type === 'llm' ? llmId : flowId }
}

type TestCaseBody = RequestParams<'updateTestCase'>['body']
type MockBody = NonNullable<NonNullable<TestCaseBody['tool_mocks']>[number]>

/** Builds the request body for the edits. The server validates it. */
export function toTestCaseBody(edits: Partial<TestCaseDraft>): TestCaseBody {
  const { engine, version, metrics, dynamic_variables: variables, tool_mocks: mocks, llm_model: model, ...rest } = edits
  return {
    ...rest,
    ...(engine !== undefined && toEngineBody(engine)),
    ...(version !== undefined && version !== 'keep' && { version: version === 'latest' ? null : version }),
    ...(metrics !== undefined && { metrics: [...metrics] }),
    ...(variables !== undefined && { dynamic_variables: toObject(variables) }),
    ...(mocks !== undefined && { tool_mocks: mocks.map(toMockBody) }),
    ...(model !== undefined && { llm_model: model === '' ? null : model }),
  }
}

function toMockBody({ tool, rule, argumentsText, output, result }: MockDraft): MockBody {
  return {
    tool_name: tool,
    input_match_rule: rule === 'any' ? { type: rule } : { type: rule, args: parseArguments(argumentsText) },
    output,
    result,
  }
}

/** Parses the JSON arguments. Returns invalid text unchanged so that the server rejects it with a path. */
function parseArguments(text: string): CustomData {
  try {
    return JSON.parse(text)
  } catch {
    return text as unknown as CustomData
  }
}
