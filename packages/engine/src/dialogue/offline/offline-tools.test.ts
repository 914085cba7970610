import { describe, expect, test } from 'vitest'
import { assistant, bookTable, converse, generate, system, today, toolOf, tools, user } from './offline-test-kit.ts'

describe('fills tools', () => {
  test('everything in one message', async () => {
    const [answer] = await converse(today, tools, [
      'book a table for 4 people tomorrow at 19:30, my name is anna weber',
    ])
    expect(answer?.calls).toEqual([
      { name: 'book_table', args: { date: '2026-11-21', time: '19:30', party_size: 4, name: 'Anna Weber' } },
    ])
    expect(answer?.events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' })
  })

  test('asks for one thing at a time, answers a question between, and goes on', async () => {
    const answers = await converse(today, tools, [
      'I would like to book a table',
      'tomorrow',
      '7pm',
      'when are you open?',
      '4',
      'Anna Weber',
    ])
    expect(answers.map((answer) => answer.text)).toEqual([
      'Sure. What date would you like?',
      'Thank you. What time would you like?',
      'Thank you. How many guests?',
      'We are open Mon–Fri 7–18. How many guests?',
      'Thank you. What is your name?',
      '',
    ])
    expect(answers.at(-1)?.calls[0]?.args).toEqual({
      date: '2026-11-21',
      time: '19:00',
      party_size: 4,
      name: 'Anna Weber',
    })
  })

  test('choices, own words, yes or no and dates; what was said earlier is remembered', async () => {
    const answers = await converse(today, tools, [
      'I want to order a cake',
      'large please',
      '"Happy Birthday Mia"',
      'yes',
      'December 3',
    ])
    expect(answers[0]?.text).toContain('small, medium or large?')
    expect(answers.at(-1)?.calls).toEqual([
      {
        name: 'order_cake',
        args: { size: 'large', message: 'Happy Birthday Mia', gift_wrap: true, pickup_date: '2026-12-03' },
      },
    ])
    const named = await converse(
      today,
      [bookTable],
      ['My name is Bob Stone', 'book a table for 2 people on 24 December at 8 pm'],
    )
    expect(named.at(-1)?.calls[0]?.args).toEqual({
      date: '2026-12-24',
      time: '20:00',
      party_size: 2,
      name: 'Bob Stone',
    })
  })

  test('nothing is made up: without a known day "tomorrow" is no date, and values outside the limits do not count', async () => {
    const answers = await converse(
      'You are Ada.',
      [bookTable],
      ['book a table for tomorrow at 7pm for 0 people, my name is Al Fox'],
    )
    expect(answers[0]?.calls).toEqual([])
    expect(answers[0]?.text).toBe('Sure. What date would you like?')
  })

  test('can be dropped', async () => {
    const answers = await converse(today, tools, ['track my order', 'never mind', 'no thanks'])
    expect(answers[0]?.text).toBe('Sure. What is the order number?')
    expect(answers[1]?.text).toContain('I have left that')
    expect(answers[2]?.calls).toEqual([{ name: 'end_call', args: {} }])
  })

  test('an e-mail address, a phone number and a reference are recognised', async () => {
    const contact = toolOf(
      'send_quote',
      'Send a quote',
      { email: { type: 'string' }, phone: { type: 'string' }, order_number: { type: 'string' } },
      ['email', 'phone', 'order_number'],
    )
    const [answer] = await converse(
      '',
      [contact],
      ['Please send a quote for order AB-1290 to ann@example.com, phone +43 316 123456'],
    )
    expect(answer?.calls[0]?.args).toEqual({
      email: 'ann@example.com',
      phone: '+43 316 123456',
      order_number: 'AB-1290',
    })
  })

  test('goodbye ends with the tool for it, else politely; a person is reached by transfer', async () => {
    const [bye] = await converse(today, tools, ['bye'])
    expect(bye?.calls).toEqual([{ name: 'end_call', args: {} }])
    expect(bye?.text).toContain('Goodbye')
    expect((await converse(today, [], ['goodbye']))[0]?.text).toContain('Goodbye')
    expect((await converse(today, tools, ['I want to talk to a human']))[0]?.calls).toEqual([
      { name: 'transfer_call', args: {} },
    ])
  })

  test('toolChoice none calls nothing, required always calls', async () => {
    const messages = [system(today), user('Where is my order 4711?')]
    expect((await generate({ messages, tools, toolChoice: 'none' })).calls).toEqual([])
    expect((await generate({ messages, tools, toolChoice: 'auto' })).calls).toEqual([
      { name: 'get_order_status', args: { order_id: '4711' } },
    ])
    const forced = await generate({ messages: [system(today), user('hello')], tools, toolChoice: 'required' })
    expect(forced.calls).toHaveLength(1)
  })
})

describe('picks transitions', () => {
  const topics = toolOf(
    'transition_to',
    'Choose where to go next',
    {
      edge: {
        type: 'string',
        enum: ['a', 'b', 'c', 'stay'],
        description:
          'a: User wants to book an appointment\nb: User wants to cancel an appointment\nc: User asks about opening hours\nstay: none applies',
      },
    },
    ['edge'],
  )
  const answers = toolOf(
    'transition_to',
    'Choose',
    {
      edge: {
        oneOf: [
          { const: 'yes', description: 'User agrees' },
          { const: 'no', description: 'User does not agree' },
          { const: 'born', description: 'User provided their date of birth' },
          { const: 'stay', description: 'none of these' },
        ],
      },
    },
    ['edge'],
  )
  test.each([
    [topics, 'I need to make a reservation', 'a'],
    [topics, 'please cancel my appointment', 'b'],
    [topics, 'when do you open?', 'c'],
    [topics, 'blue', 'stay'],
    [answers, 'yes please', 'yes'],
    [answers, 'nope', 'no'],
    [answers, 'No, I would rather not', 'no'],
    [answers, 'I was born 3 May 1980', 'born'],
    [answers, 'maybe', 'stay'],
  ])('%#: %s', async (tool, said, expected) => {
    const { calls, text } = await generate({
      messages: [system('Help.'), assistant('Is that correct?'), user(said)],
      tools: [tool],
      toolChoice: 'required',
    })
    expect(calls).toEqual([{ name: 'transition_to', args: { edge: expected } }])
    expect(text).toBe('')
  })
})
