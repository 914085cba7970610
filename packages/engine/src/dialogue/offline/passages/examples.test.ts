import { describe, expect, test } from 'vitest'
import { generate, system, user } from '../offline-test-kit.ts'
import { type Examples, examples, heldBackExamples } from './example-questions-test-kit.ts'
import { quoted } from './passages-test-kit.ts'

const prompt = system('You are the assistant of the company. Answer briefly.')
const saysNot =
  /^(?:I could not find|I am afraid my|Genau das finde|Dazu finde|Leider steht|Je n'ai pas|No he encontrado)/

async function ask(question: string, passages: Examples['passages'], previous = ''): Promise<string> {
  const before =
    previous === '' ? [] : [user(previous), { role: 'assistant', content: 'I see.', toolCalls: [] } as const]
  const { text } = await generate({ messages: [prompt, ...before, quoted(passages), user(question)] })
  return text
}

/** Over the whole document at once, so that every other section is there to be taken for the right one. */
describe.each([
  ['examples that rules were looked at with', examples],
  ['examples that only measure', heldBackExamples],
])('%s', async (_, documents) => {
  let told = 0
  let wrong = 0
  let answerable = 0
  let saidSo = 0
  let open = 0
  for (const { passages, answered, open: left } of Object.values(documents)) {
    for (const [question, fact, previous] of answered) {
      const text = await ask(question, passages, previous)
      answerable += 1
      if (text.includes(fact)) told += 1
      else if (!saysNot.test(text)) wrong += 1
    }
    for (const question of left) {
      open += 1
      if (saysNot.test(await ask(question, passages))) saidSo += 1
    }
  }

  test('what is there is told', () => {
    expect(told / answerable).toBeGreaterThanOrEqual(0.65)
    expect(wrong / answerable).toBeLessThanOrEqual(0.1)
  })

  test('what is not there is said not to be', () => {
    expect(saidSo / open).toBeGreaterThanOrEqual(0.9)
  })
})
