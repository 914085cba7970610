import { expect, test } from 'vitest'
import { promptVariablesOf } from './prompt-variables.ts'

test('the variables of prompt, first words and states are named once; those of the server are not asked for', () => {
  const llm = {
    general_prompt: 'Greet {{ name }}. It is {{current_time}}.',
    begin_message: 'Hello {{name}} of {{company | us}}!',
    states: [{ name: 'ask', state_prompt: 'Ask for {{order}}.' }],
  } as unknown as Parameters<typeof promptVariablesOf>[0]
  expect(promptVariablesOf(llm)).toEqual(['name', 'company', 'order'])
})

test('an agent without a prompt has none', () => {
  expect(promptVariablesOf(null)).toEqual([])
})
