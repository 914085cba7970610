import { describe, expect, test } from 'vitest'
import type { JsonObject, ModelMessage } from '../../ports.ts'
import { assistant, generate, system, toolOf, user } from './offline-test-kit.ts'
import { questionOf, routerTool } from './router-question-test-kit.ts'

const day = 'Today is Friday, November 20, 2026.'

/** Lines of a conversation, the user's and the agent's in turn. */
function talk(lines: readonly string[], firstIs: 'user' | 'agent' = 'user'): ModelMessage[] {
  return lines.map((line, position) => ((position % 2 === 0) === (firstIs === 'user') ? user(line) : assistant(line)))
}

async function argumentsFor(
  properties: JsonObject,
  lines: readonly string[],
  options: { readonly prompt?: string; readonly required?: readonly string[]; readonly first?: 'user' | 'agent' } = {},
): Promise<unknown> {
  const tool = toolOf('extract_dynamic_variables', 'Stores what the user has told.', properties, options.required ?? [])
  const messages = [system(`${options.prompt ?? ''} ${day}`), ...talk(lines, options.first)]
  const { calls, text } = await generate({ messages, tools: [tool], toolChoice: 'required' })
  expect(text).toBe('')
  expect(calls).toHaveLength(1)
  return calls[0]?.args
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const number = (description: string): JsonObject => ({ type: 'number', description })
const flag = (description: string): JsonObject => ({ type: 'boolean', description })
const oneOf = (description: string, choices: readonly string[]): JsonObject => ({
  type: 'string',
  enum: choices,
  description,
})

describe('extracts what was said, and nothing else', () => {
  test.each<[string, JsonObject, readonly string[], JsonObject]>([
    [
      'restaurant',
      {
        guests: number('How many guests will come'),
        date: text('Date of the reservation'),
        time: text('Time of the reservation'),
        name: text('Name of the guest'),
      },
      ['table for 4 people tomorrow at 7 pm', 'Under which name?', 'Rossi'],
      { guests: 4, date: '2026-11-21', time: '19:00', name: 'Rossi' },
    ],
    [
      'order status',
      { order_number: text('The order number'), email: text('E-mail address of the customer') },
      ['hi where is my parcel', 'What is your order number?', 'AB-20391', 'And your e-mail address?', 'jo@web.example'],
      { order_number: 'AB-20391', email: 'jo@web.example' },
    ],
    [
      'clinic: what is not known is left out',
      {
        patient_name: text('Full name of the patient'),
        date_of_birth: text('Date of birth'),
        phone: text('Phone number'),
      },
      ['I need an appointment', 'May I have your full name and date of birth?', 'Sofia Brandt, 12 March 1987'],
      { patient_name: 'Sofia Brandt', date_of_birth: '1987-03-12' },
    ],
    [
      'insurance',
      {
        injured: flag('Whether anybody was injured'),
        damage: oneOf('Kind of damage', ['water', 'fire', 'theft', 'accident']),
      },
      ['I had an accident with my car', 'Was anybody injured?', 'no, luckily not'],
      { injured: false, damage: 'accident' },
    ],
    [
      'internet: own words answer an open question',
      { issue_description: text('What the problem is'), customer_number: text('The customer number') },
      ['hello', 'What can I do for you?', 'My wifi keeps dropping every evening'],
      { issue_description: 'My wifi keeps dropping every evening' },
    ],
    [
      'hotel',
      {
        room_type: oneOf('Type of room', ['single', 'double', 'suite']),
        nights: number('Number of nights'),
        breakfast: flag('Whether the guest wants breakfast'),
      },
      ['a double room for 3 nights with breakfast please'],
      { room_type: 'double', nights: 3, breakfast: true },
    ],
    ['a number that counts something else', { guests: number('Number of guests') }, ['we arrive in 3 hours'], {}],
    [
      'examples show what to look for',
      { diet: text('Diet of the guest For example: vegetarian; vegan; gluten free') },
      ['I am vegan by the way'],
      { diet: 'vegan' },
    ],
    [
      'a condition that holds',
      { address: text('Delivery address Only when: the user wants delivery') },
      ['I want it delivered', 'What is your address?', '12 Mill Street'],
      { address: '12 Mill Street' },
    ],
    ['nothing was said', { name: text('Name'), email: text('E-mail') }, ['hello'], {}],
    ['hesitation is no name', { name: text('Name') }, ['hi', 'What is your name?', 'hmm'], {}],
    [
      'the newest value counts',
      { email: text('E-mail') },
      ['my mail is a@old.example', 'Thank you.', 'sorry, it is b@new.example'],
      { email: 'b@new.example' },
    ],
  ])('%s', async (_name, properties, lines, expected) => {
    expect(await argumentsFor(properties, lines)).toEqual(expected)
  })
})

describe('fills the arguments of a function', () => {
  test('from everything that was said in the conversation', async () => {
    const lines = [
      'I want to move my appointment',
      'What is your name?',
      'Peter Novak',
      'To which day?',
      'next to december 3 please',
    ]
    expect(
      await argumentsFor({ name: text('Name'), new_date: { type: 'string', format: 'date' } }, lines, {
        required: ['name', 'new_date'],
      }),
    ).toEqual({ name: 'Peter Novak', new_date: '2026-12-03' })
  })

  test('from earlier results and the instructions, when the name is the same', async () => {
    const tool = toolOf(
      'cancel_booking',
      'Cancels a booking.',
      { booking_id: text('Id'), customer_id: text('Id'), reason: text('Reason') },
      ['booking_id', 'customer_id'],
    )
    const messages: ModelMessage[] = [
      system('You help guests.\nCustomer ID: C-77'),
      user('cancel it please'),
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'find_booking', argumentsText: '{}' }] },
      { role: 'tool', toolCallId: 'a', name: 'find_booking', content: '{"booking":{"id":"B-9","guest":"Ann"}}' },
    ]
    const { calls } = await generate({ messages, tools: [tool], toolChoice: 'required' })
    expect(calls).toEqual([{ name: 'cancel_booking', args: { booking_id: 'B-9', customer_id: 'C-77' } }])
  })

  test('what is missing is left out', async () => {
    expect(
      await argumentsFor({ order_id: text('Order id') }, ['where is my stuff'], { required: ['order_id'] }),
    ).toEqual({})
  })

  test('a message is written by its instruction', async () => {
    const tool = toolOf(
      'write_message',
      'Writes the text message that is sent to the user.',
      { text: text('The words of the message.') },
      ['text'],
    )
    const prompt =
      'Write a short text message to the user.\n\nYou are Mia of Alpine Hotel.\n\nTell the user that the room is booked for 4 May.'
    const { calls } = await generate({
      messages: [system(prompt), user('yes please')],
      tools: [tool],
      toolChoice: 'required',
    })
    expect(calls).toEqual([{ name: 'write_message', args: { text: 'The room is booked for 4 May.' } }])
  })
})

test('a router tells the variables beside its choice, and why', async () => {
  const scene = {
    domain: 'shop',
    instruction: 'Ask for the order number.',
    asked: 'What is your order number?',
    ways: { e1: 'User has provided the order number', e2: 'User does not have one' },
    fallback: 'stay',
    answers: [],
  } as const
  const { calls } = await generate(
    questionOf(scene, 'it is AB-20391', { order_number: text('The order number'), email: text('E-mail') }),
  )
  expect(calls[0]?.args).toEqual({ choice: 'e1', reason: expect.any(String), order_number: 'AB-20391' })
  expect(routerTool(scene.ways, 'stay').name).toBe(calls[0]?.name)
})
