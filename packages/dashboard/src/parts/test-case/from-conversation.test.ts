import { expect, test } from 'vitest'
import type { TranscriptLine } from '../transcript/transcript-line.ts'
import { buildDefaultName, buildUserPrompt, listUserMessages, toTestedEngine } from './from-conversation.ts'

const createLine = (role: TranscriptLine['role'], text: string): TranscriptLine => ({
  ...{ id: text, role, name: '', text, atMs: null, isInterrupted: false, isIncomplete: false },
})

test('the simulated user receives the customer’s messages, one per line', () => {
  const lines = [
    createLine('agent', 'Good morning.'),
    createLine('user', 'I have a flat tire.\nCan you fix it?'),
    createLine('tool', ''),
    createLine('user', '  '),
    createLine('user', 'Friday is fine.'),
  ]
  const userMessages = listUserMessages(lines)
  expect(buildUserPrompt('Say this:', userMessages)).toBe(
    'Say this:\n\n- I have a flat tire. Can you fix it?\n- Friday is fine.',
  )
})

test('a prompt is not longer than a test case allows', () => {
  const prompt = buildUserPrompt(
    'Say this:',
    Array.from({ length: 100 }, (_, index) => `${index} ${'ü'.repeat(500)}`),
  )
  const sizeBytes = new TextEncoder().encode(prompt).length
  expect(sizeBytes).toBeLessThanOrEqual(32 * 1024)
  expect(sizeBytes).toBeGreaterThan(31 * 1024)
  expect(prompt).toContain('- 31 ü')
})

test('the name is the first message, shortened', () => {
  expect(buildDefaultName(['When do you open?', 'Thanks.'])).toBe('When do you open?')
  expect([...buildDefaultName(['🚲'.repeat(200)])]).toHaveLength(80)
  expect(buildDefaultName(['🚲'.repeat(200)]).endsWith('🚲…')).toBe(true)
  expect(buildDefaultName([])).toBe('')
})

test('tests the engine of the agent unless it is a custom server', () => {
  expect(toTestedEngine({ type: 'retell-llm', llm_id: 'llm_1', version: 3 })).toEqual({ kind: 'llm', id: 'llm_1' })
  expect(toTestedEngine({ type: 'conversation_flow', conversation_flow_id: 'flow_1', version: null })).toEqual({
    kind: 'conversation-flow',
    id: 'flow_1',
  })
  expect(toTestedEngine({ type: 'custom-llm', llm_websocket_url: 'wss://example.com', version: null }).id).toBeNull()
})
