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
  const again = redactEvents(redacted, createCallRedactor(redacted, [], { categories: PII_CATEGORIES }))
  expect(again).toEqual(redacted)
  return redacted
}

const contents = (events: readonly CallEvent[]): unknown[] =>
  events.map((event) => ('content' in event ? event.content : 'digit' in event ? event.digit : event.type))

const keys = (digits: string): CallEventEntry[] => [...digits].map((digit) => ({ type: 'dtmf', digit }))

test('an answer to a question counts even when its end was not heard or a filler came between', () => {
  const cut = buildAgentMessage('', { content: 'And your', generatedContent: 'And your name?', interrupted: true })
  expect(contents(redact([cut, buildUserMessage('Maria')]))).toEqual(['And your', '[person_name]'])
  const filler = buildAgentMessage('One moment.', { kind: 'filler' })
  expect(contents(redact([buildAgentMessage('Your name?'), filler, buildUserMessage('Maria')])).at(-1)).toBe(
    '[person_name]',
  )
})

test('a name given later is removed from earlier messages', () => {
  const events = redact([
    buildUserMessage('Is Maria there?'),
    buildAgentMessage('Your name?'),
    buildUserMessage('Maria'),
  ])
  expect(contents(events)[0]).toBe('Is [person_name] there?')
})

test('digits of a number are hidden one by one, menu choices are not', () => {
  const choice = redact([buildAgentMessage('Press 1 for sales.'), ...keys('1')])
  expect(contents(choice)).toEqual(['Press 1 for sales.', '1'])
  const card = redact([buildAgentMessage('Your card number, please?'), ...keys('4111111111111111'), ...keys('#')])
  expect(contents(card).slice(1).join('')).toBe(`${'*'.repeat(16)}#`)
  const pin = redact([
    buildAgentMessage('Please enter your PIN?'),
    ...keys('4821'),
    buildUserMessage('4821', { source: 'dtmf' }),
  ])
  expect(contents(pin)).toEqual(['Please enter your PIN?', '*', '*', '*', '*', '[pin]'])
})

test('variables of the call and its events are known everywhere', () => {
  const events = redact(
    [{ type: 'variables', variables: { first_name: 'Olga' } }, buildUserMessage('This is Olga, from Berta.')],
    { customer_name: 'Berta' },
  )
  expect(contents(events)[1]).toBe('This is [person_name], from [person_name].')
  expect(events[0]).toMatchObject({ variables: { first_name: '[person_name]' } })
})
