import { describe, expect, test } from 'vitest'
import type { ModelMessage, ModelTool } from '../../ports.ts'
import { type Answer, assistant, generate, system, toolOf, user } from './offline-test-kit.ts'

const day = 'Today is Friday, November 20, 2026.'
const none = toolOf('end_call', 'Ends the conversation.', {}, [])

/** The messages after a call that had this result. */
function called(name: string, args: unknown, content: string): ModelMessage[] {
  const id = `call_${name}_${content.length}`
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name, argumentsText: JSON.stringify(args) }] },
    { role: 'tool', toolCallId: id, name, content },
  ]
}

async function answer(messages: readonly ModelMessage[], tools: readonly ModelTool[]): Promise<Answer> {
  return await generate({
    messages: [system(`You are the assistant of a clinic. ${day}`), ...messages],
    tools: [...tools, none],
  })
}

describe('goes from state to state', () => {
  const toBooking = toolOf(
    'transition_to_booking',
    'Go there when the user wants to book or move an appointment.',
    {},
    [],
  )
  const toBilling = toolOf('transition_to_billing', 'When the user has questions about an invoice.', {}, [])
  const toLookup = toolOf(
    'transition_to_lookup',
    'Transition to lookup once the user asks for the results of a test.',
    { patient_number: { type: 'string', description: 'Patient number' } },
    ['patient_number'],
  )
  const ways = [toBooking, toBilling, toLookup]

  test.each([
    ['can I get an appointment next week?', 'transition_to_booking'],
    ['please move my visit to Monday', 'transition_to_booking'],
    ['my last invoice is wrong', 'transition_to_billing'],
    ['why was I charged twice', 'transition_to_billing'],
  ])('%s → %s', async (said, name) => {
    expect((await answer([user(said)], ways)).calls).toEqual([{ name, args: {} }])
  })

  test.each(['hello', 'what a lovely day', 'thanks a lot'])('%s: stays', async (said) => {
    const { calls, text } = await answer([user(said)], ways)
    expect(calls).toEqual([])
    expect(text).not.toBe('')
  })

  test('with its parameters: asks for what is missing, then goes', async () => {
    const first = await answer([user('I would like my test results')], ways)
    expect(first).toMatchObject({ calls: [], text: 'Sure. What is the patient number?' })
    const messages = [user('I would like my test results'), assistant(first.text), user('P-2201')]
    expect((await answer(messages, ways)).calls).toEqual([
      { name: 'transition_to_lookup', args: { patient_number: 'P-2201' } },
    ])
  })

  test('goes nowhere else in the same turn, but acts there', async () => {
    const back = toolOf('transition_to_start', 'When the user wants to book or anything else.', {}, [])
    const book = toolOf('book_appointment', 'Books an appointment.', { date: { type: 'string', format: 'date' } }, [
      'date',
    ])
    const messages = [user('book an appointment for tomorrow'), ...called('transition_to_booking', {}, 'success')]
    expect((await answer(messages, [back, book])).calls).toEqual([
      { name: 'book_appointment', args: { date: '2026-11-21' } },
    ])
    expect((await answer(messages, [back])).calls).toEqual([])
  })
})

describe('hands over', () => {
  const toDoctor = toolOf(
    'doctor_agent',
    'Hands the conversation to the agent who knows about symptoms and medicine.',
    {},
    [],
  )
  const toPerson = toolOf('to_front_desk', 'Transfers the call to a person at the front desk.', {}, [])

  test.each([
    ['I have questions about my medicine', 'doctor_agent'],
    ['can I speak to a real person?', 'to_front_desk'],
  ])('%s → %s', async (said, name) => {
    expect((await answer([user(said)], [toDoctor, toPerson])).calls).toEqual([{ name, args: {} }])
  })

  test('says so when it failed', async () => {
    const failed = 'Not available in this channel: this is a written chat; calls cannot be transferred here.'
    const { text } = await answer([user('a human please'), ...called('to_front_desk', {}, failed)], [toPerson])
    expect(text).toContain('I am sorry')
    expect(text).not.toContain('channel')
  })
})

describe('stores what was told', () => {
  const store = toolOf(
    'keep_contact',
    'Stores what the user said. Call it as soon as the user has told one of these values.',
    { name: { type: 'string', description: 'Name' }, email: { type: 'string', description: 'E-mail' } },
    [],
  )

  test('at once, and each value once', async () => {
    const first = [user('Hi, my name is Ann Lee')]
    expect((await answer(first, [store])).calls).toEqual([{ name: 'keep_contact', args: { name: 'Ann Lee' } }])
    const stored = [...first, ...called('keep_contact', { name: 'Ann Lee' }, 'Stored: name.')]
    const reply = await answer(stored, [store])
    expect(reply.calls).toEqual([])
    expect(reply.text).not.toContain('Stored')
    const later = [...stored, assistant(reply.text), user('you can reach me at ann@lee.example')]
    expect((await answer(later, [store])).calls).toEqual([{ name: 'keep_contact', args: { email: 'ann@lee.example' } }])
  })

  test('asks for what is still missing', async () => {
    const result = 'Stored: name. Still missing: email; ask the user for it.'
    const { text } = await answer(
      [user('I am Ann Lee'), ...called('keep_contact', { name: 'Ann Lee' }, result)],
      [store],
    )
    expect(text).toContain('email')
    expect(text.endsWith('?')).toBe(true)
  })
})

describe('asks before it does what the user has to agree to', () => {
  const create = toolOf(
    'create_ticket',
    'Creates a support ticket.',
    { subject: { type: 'string' }, priority: { type: 'string' } },
    ['subject'],
  )
  const args = { subject: 'No heating', priority: 'high' }
  const waiting = [
    user('please open a ticket'),
    ...called(
      'create_ticket',
      args,
      'Not run yet: this needs the agreement of the user. Tell the user what you are about to do and ask for it.',
    ),
  ]

  test('tells what it is about to do', async () => {
    const { text, calls } = await answer(waiting, [create])
    expect(calls).toEqual([])
    expect(text).toBe(
      'I would now create a support ticket (subject: No heating and priority: high). Is that all right?',
    )
  })

  test.each([
    ['yes', true],
    ['sure, go ahead', true],
    ['no, leave it', false],
    ["I'd rather not", false],
    ['what does that cost?', false],
  ])('%s: called %s', async (said, expected) => {
    const { text } = await answer(waiting, [create])
    const { calls } = await answer([...waiting, assistant(text), user(said)], [create])
    expect(calls).toEqual(expected ? [{ name: 'create_ticket', args }] : [])
  })
})

describe('words the line that is said while a tool runs', () => {
  const line = (hint: string): ModelTool['parameters'] => ({
    execution_message: {
      type: 'string',
      description: `What to tell the user before this runs, one short sentence. ${hint}`.trim(),
    },
    order_id: { type: 'string' },
  })
  test.each([
    ['get_order', '', 'One moment, let me check that for you.'],
    ['cancel_order', '', 'One moment, I am taking care of that.'],
    ['get_order', 'Say "I am looking up your order."', 'I am looking up your order.'],
  ])('%s %s', async (name, hint, expected) => {
    const tool = toolOf(name, 'About an order of the customer', line(hint), ['order_id'])
    const { calls } = await answer([user('what about my order 4711, can you cancel it?')], [tool])
    expect(calls).toEqual([{ name, args: { order_id: '4711', execution_message: expected } }])
  })
})
