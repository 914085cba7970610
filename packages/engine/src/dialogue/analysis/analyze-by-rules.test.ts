import { type AnalysisItem, CHAT_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HistoryMessage } from '../conversation.ts'
import { analyzeByRules } from './analyze-by-rules.ts'
import { type AnalyzedConversation, readQuestions } from './analyzed-conversation.ts'
import { detectSentiment } from './detect-sentiment.ts'

const createUserMessage = (content: string): HistoryMessage => ({ role: 'user', content })
const createAgentMessage = (content: string): HistoryMessage => ({ role: 'assistant', content, toolCalls: [] })
const createToolResult = (name: string, content: string): HistoryMessage => ({
  role: 'tool',
  toolCallId: '1',
  name,
  content,
})

function analyze(
  history: readonly HistoryMessage[],
  more: Partial<AnalyzedConversation> = {},
  items: readonly AnalysisItem[] = [],
) {
  const conversation: AnalyzedConversation = {
    history,
    collectedVariables: {},
    endedBy: 'user',
    lastTurnFailed: false,
    today: '2026-01-31',
    ...more,
  }
  return analyzeByRules(conversation, readQuestions([...CHAT_ANALYSIS_PRESETS, ...items]))
}

describe('sentiment', () => {
  test.each([
    ['Thank you, that was very helpful!', 'Positive'],
    ['This is not good, I am not happy.', 'Negative'],
    ['Your service is terrible.', 'Negative'],
    ['No problem, not bad at all.', 'Positive'],
    ['Das ist wirklich unverschämt, ich bin wütend', 'Negative'],
    ['Vielen Dank, das war super', 'Positive'],
    ['What are your opening hours?', 'Neutral'],
    ['No thanks', 'Neutral'],
    ['Good morning, a basic service please', 'Neutral'],
    ['你们几点开门？', 'Unknown'],
  ])('%s: %s', (text, mood) => {
    expect(detectSentiment([text])).toBe(mood)
  })

  test('is unknown without words, and the last messages count more', () => {
    expect(detectSentiment(['', ' '])).toBe('Unknown')
    expect(detectSentiment(['This is bad', 'I see', 'Great, thanks, perfect'])).toBe('Positive')
  })
})

describe('success', () => {
  const asked = [createUserMessage('Can you book me in for Friday?')]
  test.each<[string, HistoryMessage[], Partial<AnalyzedConversation>, boolean | null]>([
    ['answered and thanked', [...asked, createAgentMessage('Booked.'), createUserMessage('Thanks!')], {}, true],
    ['answered, nothing more', [...asked, createAgentMessage('You are booked for Friday.')], {}, true],
    ['ended by the agent', [...asked, createAgentMessage('Booked. Goodbye!')], { endedBy: 'agent' }, true],
    ['unanswered', asked, {}, false],
    ['a failed turn', [...asked, createAgentMessage('Let me')], { lastTurnFailed: true }, false],
    ['no help', [...asked, createAgentMessage("I don't know, sorry.")], {}, false],
    [
      'a failed tool',
      [...asked, createToolResult('book', 'The tool failed (timeout): …'), createAgentMessage('Hm.')],
      {},
      false,
    ],
    [
      'a tool that failed and then did not',
      [
        ...asked,
        createToolResult('book', '{"success": false}'),
        createToolResult('book', '{"ok":1}'),
        createAgentMessage('Booked.'),
      ],
      {},
      true,
    ],
    ['silence after a question', [...asked, createAgentMessage('At what time?')], { endedBy: 'silence' }, false],
    [
      'silence after a polite question',
      [...asked, createAgentMessage('Booked. Anything else?')],
      { endedBy: 'silence' },
      true,
    ],
    [
      'an angry goodbye',
      [...asked, createAgentMessage('No.'), createUserMessage('This is ridiculous and awful, bye')],
      {},
      false,
    ],
    ['nobody spoke', [createAgentMessage('Hello?')], { endedBy: 'silence' }, null],
  ])('%s', (_what, history, more, successful) => {
    expect(analyze(history, more).successful).toBe(successful)
  })
})

describe('summary', () => {
  test('quotes the conversation', () => {
    const history = [
      createAgentMessage('Hello! How can I help?'),
      createUserMessage('Hello! My brakes squeak and I need new pads.'),
      createToolResult('book_slot', '{"slot":"Friday"}'),
      createAgentMessage('Your appointment is on Friday at ten. Anything else?'),
      createUserMessage('No, thanks, bye'),
    ]
    expect(analyze(history, { endedBy: 'agent' }).summary).toBe(
      'The user wrote: “Hello! My brakes squeak and I need new pads.” Tools used: book_slot. ' +
        'The agent’s last statement: “Your appointment is on Friday at ten.” The agent ended the conversation.',
    )
    expect(analyze([createAgentMessage('Hello?')]).summary).toBe('The user said nothing.')
    expect(analyze([]).summary).toBeNull()
  })

  test('quotes only what was said', () => {
    const said = fc.array(fc.tuple(fc.boolean(), fc.lorem({ maxCount: 12 })), { maxLength: 12 })
    fc.assert(
      fc.property(said, (turns) => {
        const history = turns.map(([isUser, text]) => (isUser ? createUserMessage(text) : createAgentMessage(text)))
        const everything = turns.map(([, text]) => text).join('\n')
        for (const [, quote = ''] of (analyze(history).summary ?? '').matchAll(/“([^”]*)”/g)) {
          expect(everything).toContain(quote.replace(/…$/, ''))
        }
      }),
    )
  })
})

describe('fields', () => {
  const items: readonly AnalysisItem[] = [
    { type: 'string', name: 'email', description: '' },
    { type: 'enum', name: 'service', description: 'Which service', choices: ['basic service', 'full service'] },
    { type: 'number', name: 'guests', description: 'Number of guests' },
    { type: 'boolean', name: 'delivery', description: 'Whether they want delivery' },
    { type: 'string', name: 'voucher', description: 'Voucher' },
  ]

  test("come from the user's words or collected variables", () => {
    const history = [
      createUserMessage('I want the full service, with delivery please.'),
      createAgentMessage('What is your email?'),
      createUserMessage('ana@example.com'),
      createAgentMessage('How many guests?'),
      createUserMessage('4'),
    ]
    expect(analyze(history, { collectedVariables: { voucher: 'SPRING', guests: 'many' } }, items).customData).toEqual({
      email: 'ana@example.com',
      service: 'full service',
      guests: 4,
      delivery: true,
      voucher: 'SPRING',
    })
  })

  test('are null when nobody gave them, even with a single choice and with any name', () => {
    const odd: readonly AnalysisItem[] = [
      { type: 'enum', name: 'only', description: '', choices: ['yes'] },
      { type: 'string', name: '__proto__', description: '' },
      { type: 'string', name: 'constructor', description: '' },
    ]
    const { customData } = analyze([createUserMessage('Hello')], {}, [...items, ...odd])
    expect(Object.values(customData).every((value) => value === null)).toBe(true)
    expect(Object.keys(customData)).toHaveLength(items.length + odd.length)
  })
})
