import { expect, test } from 'vitest'
import { createFlow, createPromptNode, createStaticNode } from '../testing/flow-scenario.ts'
import { buildScenarioConversation } from '../testing/index.ts'
import { openCall, openConversation } from './opening.ts'

test.each([
  [null, null],
  ['', null],
  ['  \n', null],
  ['{{blank}}', null],
  ['Hi {{name}}!', 'Hi Ada!'],
  ['Hi {{unset}}!', 'Hi {{unset}}!'],
])('%j opens with %j', (beginMessage, opening) => {
  const { engine } = buildScenarioConversation({ engine: { beginMessage } })
  const variables: Record<string, string> = { name: 'Ada', blank: ' ' }
  expect(openConversation(engine, (name) => variables[name])?.texts[0] ?? null).toBe(opening)
})

test.each([
  [null, 'generate'],
  ['', 'listen'],
  ['Hi!', 'say'],
])('a call with the begin message %j opens with %s', (beginMessage, type) => {
  const { engine } = buildScenarioConversation({ engine: { beginMessage } })
  expect(openCall(engine, () => undefined).type).toBe(type)
})

test('a flow with a static opening has finished its first node', () => {
  const flow = createFlow([createStaticNode('welcome', 'Welcome.')])
  expect(openCall(flow, () => undefined)).toMatchObject({
    type: 'say',
    text: 'Welcome.',
    state: { flow: { nodeId: 'welcome', phase: 'listening' } },
  })
  expect(openCall({ ...flow, startSpeaker: 'user' }, () => undefined)).toEqual({ type: 'listen' })
  expect(openCall(createFlow([createPromptNode('ask', 'Ask.')]), () => undefined)).toEqual({ type: 'generate' })
})
