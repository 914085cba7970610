import { CreateTestCaseBody, type TestCase, UpdateTestCaseBody } from '@parley/contract/test-case'
import { expect, test } from 'vitest'
import { toTestCaseBody, toTestCaseDraft } from './test-case-draft.ts'

const testCase: TestCase = {
  test_case_definition_id: 'test_case_1',
  workspaceId: 1,
  type: 'llm',
  llm_id: 'llm_1',
  conversation_flow_id: null,
  version: 3,
  name: 'Books a table',
  description: 'Two people, tonight.',
  user_prompt: 'You are Mia.',
  metrics: ['A table\nis booked', 'She is thanked'],
  dynamic_variables: { city: 'Köln' },
  tool_mocks: [
    { tool_name: 'find', input_match_rule: { type: 'partial_match', args: { seats: 2 } }, output: '[]', result: null },
    { tool_name: 'book', input_match_rule: { type: 'any' }, output: 'ok', result: true },
  ],
  llm_model: null,
  max_turns: 12,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

test('a complete draft equals the test case and keeps its version', () => {
  const body = toTestCaseBody(toTestCaseDraft(testCase))
  const { name, description, user_prompt, metrics, dynamic_variables, tool_mocks, llm_model, max_turns } = testCase
  expect(body).toEqual({
    llm_id: 'llm_1',
    ...{ name, description, user_prompt, metrics, dynamic_variables, tool_mocks, llm_model, max_turns },
  })
  expect(CreateTestCaseBody.safeParse(body).error).toBeUndefined()
})

test('sends only edited fields', () => {
  expect(toTestCaseBody({ name: 'Other' })).toEqual({ name: 'Other' })
  expect(toTestCaseBody({ engine: { kind: 'conversation-flow', id: 'flow_1' }, version: 'keep' })).toEqual({
    conversation_flow_id: 'flow_1',
  })
  expect(toTestCaseBody({ version: 'latest' })).toEqual({ version: null })
  expect(toTestCaseBody({ version: 2, llm_model: 'offline', max_turns: null })).toEqual({
    version: 2,
    llm_model: 'offline',
    max_turns: null,
  })
})

test('sends arguments that are not JSON yet for the server to reject', () => {
  const mock = { tool: 'x', rule: 'partial_match', argumentsText: '{"a": ', output: '', result: null } as const
  const body = toTestCaseBody({ tool_mocks: [mock] })
  const result = UpdateTestCaseBody.safeParse(body)
  expect(result.error?.issues.map(({ path }) => path.join('.'))).toEqual(['tool_mocks.0.input_match_rule.args'])
})

test('requires a target', () => {
  expect(toTestCaseBody({ engine: { kind: 'conversation-flow', id: null } })).toEqual({
    llm_id: null,
    conversation_flow_id: null,
  })
})
