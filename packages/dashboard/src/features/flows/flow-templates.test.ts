import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { findFlowProblems } from '@parley/contract/flow-problems/flow-problems'
import { expect, test } from 'vitest'
import { FLOW_TEMPLATES } from './flow-templates.ts'

test.each(FLOW_TEMPLATES)('the $name template has no errors or warnings', ({ body }) => {
  const { start_node_id: startNodeId, ...flow } = CreateConversationFlowBody.parse(body)
  const problems = findFlowProblems({ ...flow, start_node_id: startNodeId ?? '' }, { shared: new Map() })
  expect(problems).toEqual({ errors: [], warnings: [] })
})
