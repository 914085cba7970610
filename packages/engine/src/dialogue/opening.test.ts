import { expect, test } from 'vitest'
import { scenarioConversation } from '../testing/index.ts'
import { openConversation } from './opening.ts'

test.each([
  [null, null],
  ['', null],
  ['  \n', null],
  ['{{blank}}', null],
  ['Hi {{name}}!', 'Hi Ada!'],
  ['Hi {{unset}}!', 'Hi {{unset}}!'],
])('%j opens with %j', (beginMessage, opening) => {
  const { engine } = scenarioConversation({ engine: { beginMessage } })
  const variables: Record<string, string> = { name: 'Ada', blank: ' ' }
  expect(openConversation(engine, (name) => variables[name])?.text ?? null).toBe(opening)
})
