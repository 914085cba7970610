import type { Passage } from '@parley/contract/knowledge-passage'
import { describe, expect, it } from 'vitest'
import type { ModelMessage, ModelRequest, ModelTool } from '../../ports.ts'
import { assistant, bookTable, generate, system, toolOf, user } from './offline-test-kit.ts'

const SIZE_CHARS = 64 * 1024
const LIMIT_MS = 50

const FILLERS = [
  ...[
    ' ',
    '\n',
    '\t',
    '\r\n',
    ',',
    '.',
    '1',
    '"',
    '“',
    "'",
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    'a',
    'A',
    'é',
    '中',
  ],
  ...[
    '#',
    '*',
    '_',
    '-',
    '`',
    '|',
    '~',
    '!',
    '?',
    ':',
    ';',
    '@',
    'a ',
    'a, ',
    '? ',
    'is a ',
    'A1-',
    'a-',
    '<a',
    '[a](',
  ],
  ...['a\n', '- a\n', '# a\n', '1. ', ' , ', '! ', 'Anna ', 'never say ', 'We open at 9. ', '"a" ', 'and ', 'please '],
]

type Request = Pick<ModelRequest, 'messages' | 'tools'>

const prompt = system('You are Ada of a bakery. We are open Mon–Fri 7–18. Ask for the name.')

function passage(text: string): ModelMessage {
  const found: Passage = {
    knowledgeBaseId: '1',
    sourceId: '1',
    sourceType: 'text',
    sourceName: 'Prices',
    url: null,
    page: null,
    headings: [text],
    text,
    score: 1,
    mode: 'lexical',
  }
  return { role: 'system', content: '', passages: [found] }
}

function edge(name: string, description: string): ModelTool {
  return toolOf(`transition_to_${name}`, description, {}, [])
}

const PLACES: Readonly<Record<string, (text: string) => Request>> = {
  'an answer': (text) => ({ messages: [prompt, assistant('What is your name?'), user(text)], tools: [bookTable] }),
  'a prompt': (text) => ({ messages: [system(text), user('What time do you open?')], tools: [] }),
  'a passage': (text) => ({ messages: [prompt, passage(text), user('What does a cake cost?')], tools: [] }),
  'a result and descriptions': (text) => ({
    messages: [
      prompt,
      user('Book a table for tomorrow'),
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'book_table', argumentsText: '{}' }] },
      { role: 'tool', toolCallId: 'c1', name: 'book_table', content: text },
    ],
    tools: [toolOf('book_table', text, { note: { type: 'string', description: text } }, ['note'])],
  }),
  'the condition of an edge': (text) => ({
    messages: [prompt, user('I want to order a cake')],
    tools: [edge('order', text), edge('bye', 'the user wants to leave')],
  }),
}

/** Of this thread, so that other work on the machine does not count. */
function cpuMs(): number {
  const { user: own, system: kernel } = process.threadCpuUsage()
  return (own + kernel) / 1000
}

/** The best of up to three, since compilation and collection of garbage fall on some of them. */
async function decisionMs(request: Request): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && best > LIMIT_MS; run++) {
    const before = cpuMs()
    await generate(request)
    best = Math.min(best, cpuMs() - before)
  }
  return best
}

describe('64 KB of anything', () => {
  it.each(Object.keys(PLACES))('in %s delays no decision', async (place) => {
    const slow: string[] = []
    for (const filler of FILLERS) {
      const long = filler.repeat(Math.ceil(SIZE_CHARS / filler.length))
      // Prompts and passages are read in full, messages in parts: what costs more is tried in one form only.
      for (const text of place === 'an answer' ? [long, `x${long}!x`] : [`x${long}!x`]) {
        const ms = await decisionMs(PLACES[place]?.(text) ?? { messages: [], tools: [] })
        if (ms > LIMIT_MS) slow.push(`${JSON.stringify(text.slice(0, 12))} ${Math.round(ms)} ms`)
      }
    }
    expect(slow).toEqual([])
  })

  it('of different facts and words delays no decision', async () => {
    const many = (make: (position: number) => string): string =>
      Array.from({ length: SIZE_CHARS / 32 }, (_, position) => make(position)).join('')
    const facts = many((position) => `Never tell the ${position}th code of w${position}. `)
    const lists = many((position) => `# H${position}\n- a\n- b\n`)
    const words = many((position) => `w${position} `)
    for (const text of [facts, lists, words])
      expect(await decisionMs({ messages: [system(text), user(`What is ${words}?`)], tools: [] })).toBeLessThan(
        LIMIT_MS,
      )
  })
})
