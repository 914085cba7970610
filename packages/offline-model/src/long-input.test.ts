import type { Passage } from '@parley/contract/knowledge-passage'
import type { ModelMessage, ModelRequest } from '@parley/engine/ports'
import { expect, test } from 'vitest'
import { agent, called, createTool, generate, system, user } from './offline-test-kit.ts'

const SIZE = 64 * 1024
/** A quadratic regular expression needs seconds. */
const LIMIT_MS = 150

const FILLERS = [
  ...' |\n|\t|\r\n|,|.|1|"|“|\'|(|)|[|]|{|}|<|>|a|A|é|中|#|*|_|-|`|~|!|?|:|;|@'.split('|'),
  '|',
  ...['a ', 'a, ', '? ', 'is a ', 'A1-', 'a-', '<a', '[a](', 'a\n', '- a\n', '# a\n', '1. ', ' , ', '! ', 'Anna '],
  ...['never say ', 'We open at 9. ', '"a" ', 'and ', 'please ', 'ask for ', 'Monday ', 'a: b; ', 'if you ', 'zurück '],
]

type Request = Pick<ModelRequest, 'messages' | 'tools'>

const prompt = system('You are Ada of a bakery. We are open Mon–Fri 7–18. Ask for the name.')
const createPassage = (text: string): ModelMessage => ({
  role: 'system',
  content: '',
  passages: [{ sourceName: 'Prices', headings: [text], text } as unknown as Passage],
})
const createNote = (text: string) =>
  createTool('book_table', text, { note: { type: 'string', description: text } }, ['note'])

const PLACES: Readonly<Record<string, (text: string) => Request>> = {
  'an answer': (text) => ({
    messages: [prompt, agent('What is your name?'), user(text)],
    tools: [createNote('Books.')],
  }),
  'a prompt': (text) => ({ messages: [system(text), user('What time do you open?')], tools: [] }),
  'a passage': (text) => ({ messages: [prompt, createPassage(text), user('What does a cake cost?')], tools: [] }),
  'a result and a description': (text) => ({
    messages: [prompt, user('Book a table'), ...called('book_table', {}, text)],
    tools: [createNote(text)],
  }),
  'a condition': (text) => ({
    messages: [prompt, user('I want to order a cake')],
    tools: [createTool('transition_to_order', text), createTool('transition_to_bye', 'the user wants to leave')],
  }),
}

/** CPU time of this thread, so that other work on the machine does not count. */
function readCpuMs(): number {
  const { user: own, system: kernel } = process.threadCpuUsage()
  return (own + kernel) / 1000
}

/** The best of up to three runs, because compilation and garbage collection slow some of them. */
async function measureDecisionMs(requestOf: (run: string) => Request): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && shortestMs > LIMIT_MS; run += 1) {
    // A different text each time, because prompts are cached.
    const request = requestOf(`!x${run}`)
    const startMs = readCpuMs()
    await generate(request)
    shortestMs = Math.min(shortestMs, readCpuMs() - startMs)
  }
  return shortestMs
}

test.each(Object.entries(PLACES))('64 KB of any filler in %s does not delay a decision', async (_place, place) => {
  await generate(place('a'))
  const slow: string[] = []
  for (const filler of FILLERS) {
    const ms = await measureDecisionMs((run) => place(`x${filler.repeat(SIZE / filler.length)}${run}`))
    if (ms > LIMIT_MS) slow.push(`${JSON.stringify(filler)} ${Math.round(ms)} ms`)
  }
  expect(slow).toEqual([])
})

test('64 KB of different facts, lists and words does not delay a decision', async () => {
  const many = (make: (position: number) => string): string =>
    Array.from({ length: SIZE / 32 }, (_, position) => make(position)).join('')
  const words = many((position) => `w${position} `)
  const texts = [many((at) => `Never tell the ${at}th code of w${at}. `), many((at) => `# H${at}\n- a\n- b\n`), words]
  for (const text of texts) {
    const ms = await measureDecisionMs((run) => ({
      messages: [system(text + run), user(`What is ${words}?`)],
      tools: [],
    }))
    expect(ms).toBeLessThan(LIMIT_MS)
  }
})
