import * as contract from '@parley/contract/index'
import type { Operation } from '@parley/contract/operation'
import { expect, test } from 'vitest'
import { CREATED_TARGETS, findCreatedTarget } from './created-target.ts'

const operations: readonly Operation[] = Object.values(contract.operations)

/** Create operations without a record id in their response, or with a record that the audit log does not list. */
const WITHOUT_TARGET = ['createPasswordLink', 'addKnowledgeSources']

test('every audited operation that creates something names it, as paths do', () => {
  const creating = operations.filter(
    ({ name, status, access }) => status === 201 && access !== 'calls' && !WITHOUT_TARGET.includes(name),
  )
  expect(Object.keys(CREATED_TARGETS).sort()).toEqual(creating.map(({ name }) => name).sort())
  const parameters = new Set(operations.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)))
  for (const [, parameter] of Object.values(CREATED_TARGETS)) expect(parameters).toContain(parameter)
})

test.each([
  ['createAgent', { agent_id: 'agent_1', voice_id: 'v' }, { agentId: 'agent_1' }],
  ['createWorkspace', { id: 7 }, { workspaceId: '7' }],
  ['updateAgent', { agent_id: 'agent_1' }, {}],
  ['createAgent', undefined, {}],
])('%s answering %j created %j', (operation, answer, target) =>
  expect(findCreatedTarget(operation, answer)).toEqual(target),
)
