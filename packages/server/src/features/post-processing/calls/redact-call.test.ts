import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import type { CallEvent, CallEventEntry } from '@parley/contract/call-event'
import { expect, test } from 'vitest'
import { buildAgentMessage, buildUserMessage } from './call-lifecycle-test-kit.ts'
import { createCallRedactor, redactEvents } from './redact-call.ts'

function redact(entries: readonly CallEventEntry[], variables: Record<string, string> = {}): readonly CallEvent[] {
  const at = '2026-01-31T00:00:00.000Z'
  const events = entries.map((entry, position) => ({ ...entry, position, atMs: position, at })) as CallEvent[]
  const redacted = redactEvents(events, createCallRedactor(events, [variables], { categories: PII_CATEGORIES }))
  // A second redaction changes nothing.
  const redactedTwice = redactEvents(redacted, createCallRedactor(redacted, [], { categories: PII_CATEGORIES }))
  expect(redactedTwice).toEqual(redacted)
  return redacted
}

const getContents = (events: readonly CallEvent[]): unknown[] =>
  events.map((event) => ('content' in event ? event.content : 'digit' in event ? event.digit : event.type))

const buildKeyPresses = (digits: string): CallEventEntry[] => [...digits].map((digit) => ({ type: 'dtmf', digit }))

test('detects an answer to a question that was interrupted or followed by a filler', () => {
  const interruptedMessage = buildAgentMessage('', {
    content: 'And your',
    generatedContent: 'And your name?',
    interrupted: true,
  })
  expect(getContents(redact([interruptedMessage, buildUserMessage('Maria')]))).toEqual(['And your', '[person_name]'])
  const filler = buildAgentMessage('One moment.', { kind: 'filler' })
  expect(getContents(redact([buildAgentMessage('Your name?'), filler, buildUserMessage('Maria')])).at(-1)).toBe(
    '[person_name]',
  )
})

test('a name given later is removed from earlier messages', () => {
  const events = redact([
    buildUserMessage('Is Maria there?'),
    buildAgentMessage('Your name?'),
    buildUserMessage('Maria'),
  ])
  expect(getContents(events)[0]).toBe('Is [person_name] there?')
})

test('masks each digit of a personal number and keeps menu choices', () => {
  const choiceEvents = redact([buildAgentMessage('Press 1 for sales.'), ...buildKeyPresses('1')])
  expect(getContents(choiceEvents)).toEqual(['Press 1 for sales.', '1'])
  const cardEvents = redact([
    buildAgentMessage('Your card number, please?'),
    ...buildKeyPresses('4111111111111111'),
    ...buildKeyPresses('#'),
  ])
  expect(getContents(cardEvents).slice(1).join('')).toBe(`${'*'.repeat(16)}#`)
  const pinEvents = redact([
    buildAgentMessage('Please enter your PIN?'),
    ...buildKeyPresses('4821'),
    buildUserMessage('4821', { source: 'dtmf' }),
  ])
  expect(getContents(pinEvents)).toEqual(['Please enter your PIN?', '*', '*', '*', '*', '[pin]'])
})

test('redacts variable values in the whole call', () => {
  const events = redact(
    [{ type: 'variables', variables: { first_name: 'Olga' } }, buildUserMessage('This is Olga, from Berta.')],
    { customer_name: 'Berta' },
  )
  expect(getContents(events)[1]).toBe('This is [person_name], from [person_name].')
  expect(events[0]).toMatchObject({ variables: { first_name: '[person_name]' } })
})
