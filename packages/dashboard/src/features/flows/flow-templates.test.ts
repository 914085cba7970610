import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { findFlowProblems } from '@parley/contract/flow-problems/flow-problems'
import { expect, test } from 'vitest'
import { FLOW_TEMPLATES } from './flow-templates.ts'

test.each(FLOW_TEMPLATES)('the template $name is stored without warnings', ({ body }) => {
  const { start_node_id: start, ...flow } = CreateConversationFlowBody.parse(body)
  const problems = findFlowProblems({ ...flow, start_node_id: start ?? '' }, { shared: new Map() })
  expect(problems).toEqual({ errors: [], warnings: [] })
})
