import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelMessage } from '../../ports.ts'
import { moreScenes } from './more-router-cases-test-kit.ts'
import { assistant, generate, system, user } from './offline-test-kit.ts'
import { type RouterScene, tunedScenes } from './router-cases-test-kit.ts'
import { type AnsweredQuestion, answerAll, questionOf, routerTool } from './router-question-test-kit.ts'
import { unseenScenes } from './unseen-router-cases-test-kit.ts'

function shareRight(answered: readonly AnsweredQuestion[]): number {
  return answered.filter(({ chosen, expected }) => chosen === expected).length / answered.length
}

describe('chooses the way that a person would', () => {
  test('in the cases that the rules were made with', async () => {
    const answered = await answerAll([...tunedScenes, ...moreScenes])
    expect(answered.length).toBeGreaterThanOrEqual(200)
    expect(shareRight(answered)).toBeGreaterThanOrEqual(0.97)
  })

  test('in cases that no rule was made with', async () => {
    const answered = await answerAll(unseenScenes)
    expect(answered.length).toBeGreaterThanOrEqual(100)
    expect(shareRight(answered)).toBeGreaterThanOrEqual(0.83)
  })

  test('and says why in at most ten words', async () => {
    for (const { reason } of await answerAll([...tunedScenes, ...unseenScenes])) {
      expect(String(reason).trim().split(/\s+/).length).toBeLessThanOrEqual(11)
      expect(reason).not.toBe('')
    }
  })
})

const scene: RouterScene = {
  domain: 'any',
  instruction: '',
  asked: 'What can I do for you?',
  ways: { e1: 'User wants to pay an invoice', g1: 'User wants to pay', b1: 'User wants to go back to what was before' },
  fallback: 'stay',
  answers: [],
}

describe('as a router', () => {
  test('own ways win over those that are open everywhere', async () => {
    const { calls } = await generate(
      questionOf({ ...scene, ways: { e1: 'User wants to pay', g1: 'User wants to pay' } }, 'I want to pay'),
    )
    expect(calls[0]?.args).toMatchObject({ choice: 'e1' })
  })

  test('the user decides again once they have spoken after a result', async () => {
    const messages: ModelMessage[] = [
      system('Help.'),
      user('is a table free tomorrow?'),
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'find_table', argumentsText: '{}' }] },
      { role: 'tool', toolCallId: 'a', name: 'find_table', content: '{"error":"down"}' },
      assistant('I could not look it up. Shall I try again?'),
      user('no, forget it'),
    ]
    const ways = { e1: 'The tool returned an error', e2: 'User agrees', e3: 'User declines' }
    const { calls } = await generate({ messages, tools: [routerTool(ways, 'stay')], toolChoice: 'required' })
    expect(calls[0]?.args).toMatchObject({ choice: 'e3' })
  })

  const condition = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.constantFrom(
      'User confirms',
      'User has provided their name, e-mail and phone number',
      'The order total is between 10 and 20',
      'The tool failed or was not found',
      'User does not want this and is angry',
      '(((',
      'not not not',
      'e1: e2: stay: else',
    ),
  )
  const said = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('yes', 'no, 5 instead', 'Ann, a@b.example', '{"a":[]}', ''),
  )
  const question = fc.record({
    ways: fc.array(condition, { minLength: 1, maxLength: 12 }),
    fallback: fc.constantFrom<('stay' | 'else')[]>('stay', 'else'),
    asked: fc.oneof(fc.constantFrom('Is that right?', 'What is your name?', ''), fc.string({ maxLength: 80 })),
    tool: fc.constantFrom(undefined, 'look_up'),
    said,
  })

  test('any question gets one of its choices, and the same again', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ ways, fallback, asked, tool, said: last }) => {
        const keyed = Object.fromEntries(ways.map((text, position) => [`e${position + 1}`, text.replace(/\s+/g, ' ')]))
        const request = questionOf(
          { ...scene, ways: keyed, fallback, asked, ...(tool !== undefined && { tool }) },
          last,
          {
            name: { type: 'string', description: 'Name' },
          },
        )
        const first = await generate(request)
        expect(first.calls).toHaveLength(1)
        expect(first.text).toBe('')
        const choice = (first.calls[0]?.args as { choice?: string } | undefined)?.choice
        expect([...Object.keys(keyed), fallback]).toContain(choice)
        expect((await generate(request)).events).toEqual(first.events)
      }),
      { numRuns: 200 },
    )
  })

  test('a forced tool is always called, whatever its schema', async () => {
    const schema = fc.oneof(
      fc.object({ maxDepth: 3 }),
      fc.constant({ type: 'object', properties: { a: { enum: ['x', 'y'] } }, required: ['a'] }),
    )
    await fc.assert(
      fc.asyncProperty(schema, said, fc.string({ maxLength: 40 }), async (parameters, last, name) => {
        const tools = [{ name, description: last, parameters: parameters as never }]
        const { calls } = await generate({ messages: [system(last), user(last)], tools, toolChoice: 'required' })
        expect(calls.map((call) => call.name)).toEqual([name])
      }),
      { numRuns: 200 },
    )
  })

  test.each([
    ['a long prompt', 'Ask for the name.\n\n'.repeat(6_000), 5, 1],
    ['long words', `${'a'.repeat(100_000)} ${'no '.repeat(10_000)}`, 5, 1],
    ['a hundred ways', 'Be kind.', 100, 1],
    ['a long conversation with a hundred ways', 'Be kind.', 100, 60],
  ])('%s takes no time to speak of', async (_name, prompt, count, turns) => {
    const ways = Object.fromEntries(
      Array.from({ length: count }, (_, position) => [
        `e${position + 1}`,
        `User has provided the order number, e-mail, name, date of birth and reason ${position}, or wants to cancel`,
      ]),
    )
    const long = 'my order 4711 did not arrive and I want to know on 3 May at 5 pm why, '.repeat(60)
    const messages = [
      system(prompt),
      ...Array.from({ length: turns }, () => [
        assistant('What is your name and your order number?'),
        user(long),
      ]).flat(),
    ]
    const startedMs = performance.now()
    const { calls } = await generate({ messages, tools: [routerTool(ways, 'stay')], toolChoice: 'required' })
    expect(calls).toHaveLength(1)
    // Far above what it takes; what grows with the square of anything takes minutes.
    expect(performance.now() - startedMs).toBeLessThan(5_000)
  })
})
