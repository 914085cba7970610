import { PII_CATEGORIES, type PiiCategory } from '@parley/contract/after-conversation'
import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import { callTools, createScriptedModel } from '@parley/engine/testing/scripted-model'
import { describe, expect, test } from 'vitest'
import { parsePolicy } from '../policy/storage-policy.ts'
import { redactChat } from '../redaction-tasks.ts'
import { openEndings, type TestMessage } from './chat-lifecycle-test-kit.ts'

/** A value of each category as it occurs in a chat. */
const SAID: Record<PiiCategory, { asked: string; said: string; secret: string }> = {
  person_name: { asked: 'May I have your name?', said: 'Ana Petrov', secret: 'Petrov' },
  address: { asked: 'Where do we ship it?', said: 'To 12 Old Mill Road, Springfield', secret: '12 Old Mill Road' },
  email: { asked: 'And your e-mail address?', said: 'ana@example.com', secret: 'ana@example.com' },
  phone_number: { asked: 'How can we reach you?', said: 'On (555) 010-4477', secret: '010-4477' },
  ssn: { asked: 'And your number?', said: 'It is 078-05-1120.', secret: '078-05-1120' },
  passport: { asked: 'Your passport number?', said: 'C01X00T47', secret: 'C01X00T47' },
  driver_license: { asked: 'Do you drive?', said: 'MORGA657054SM9IJ', secret: 'MORGA657054SM9IJ' },
  credit_card: { asked: 'How do you pay?', said: 'With 4111 1111 1111 1111', secret: '4111 1111 1111 1111' },
  bank_account: { asked: 'Or by debit?', said: 'DE89 3704 0044 0532 0130 00', secret: 'DE89 3704 0044 0532 0130 00' },
  password: { asked: 'What is the matter?', said: 'My password is hunter2', secret: 'hunter2' },
  pin: { asked: 'What is your PIN?', said: '4711', secret: '4711' },
  medical_id: { asked: 'Are you insured?', said: 'Yes: A123456780', secret: 'A123456780' },
  date_of_birth: { asked: 'When were you born?', said: '4 May 1990', secret: '4 May 1990' },
  customer_account_number: {
    asked: 'Are you a customer?',
    said: 'Customer number KD-20931',
    secret: 'KD-20931',
  },
}

const PASSAGE = {
  knowledgeBaseId: 'knowledge_base_00000000000041111111111111',
  sourceId: 'source_1',
  sourceType: 'text',
  sourceName: 'Opening hours',
  url: null,
  page: 3,
  headings: ['Help'],
  text: 'Open from 9:00 to 18:00.',
  score: 0.5,
  mode: 'lexical',
} as const

/** Builds a turn's record of its knowledge search. */
const explanationOf = (text: string): string =>
  JSON.stringify([
    { type: 'knowledge-retrieved', mode: 'lexical', latencyMs: 3, passages: [PASSAGE, { ...PASSAGE, text }] },
  ])

describe.each(PII_CATEGORIES)('%s', (category) => {
  const { asked, said, secret } = SAID[category]
  const announced = category === 'pin' ? 'PIN 4711' : category === 'passport' ? `passport ${secret}` : said

  async function settled(categories: readonly PiiCategory[]) {
    const opened = await openEndings()
    const { events } = callTools([
      'report_analysis',
      { summary: `They said: ${announced}`, sentiment: 'Neutral', successful: true, fields: {} },
    ])
    opened.addModel('fake/large', createScriptedModel([{ events }], { name: 'fake/large' }).model)
    opened.addAgent('agent_1', { storage: 'everything_except_pii', piiCategories: categories }, 'fake/large')
    const lines: TestMessage[] = [
      ['assistant', asked],
      ['user', said],
      ['user', 'My order 1234567 of 2026-01-31 costs $119.'],
      // Names are known from the user's messages. For other categories, the agent repeats the introducing words.
      ['assistant', `Thank you: ${category === 'person_name' ? secret : announced}`],
    ]
    await opened.addChat('chat_1', 'agent_1', lines, {
      collected_variables: JSON.stringify({ note: category === 'person_name' ? `for ${secret}` : announced }),
    })
    const explanation = explanationOf(category === 'person_name' ? `by ${secret}` : announced)
    const update = opened.database.queryBuilder
      .updateTable('turns')
      .set({ explanation })
      .where('chat_id', '=', 'chat_1')
    await opened.database.batch([{ query: update.compile() }])
    const before = await opened.read('chat_1')
    await opened.endAndFinalize('chat_1')
    return { opened, lines, policy: parsePolicy(before?.storage ?? null), explanation }
  }

  test('is stored nowhere, and the rest stays', async () => {
    const { opened } = await settled(PII_CATEGORIES)
    await using _closed = opened
    const messages = await opened.messagesOf('chat_1')
    const turns = await opened.turnsOf('chat_1')
    const chat = await opened.read('chat_1')
    expect(chat?.stored_as).toBe('everything_except_pii')
    expect(JSON.stringify([messages, turns, chat, await opened.publishedEvents()])).not.toContain(secret)
    expect(messages[1]?.content).toContain(`[${category}]`)
    expect(messages[2]?.content).toBe('My order 1234567 of 2026-01-31 costs $119.')
    expect(JSON.parse(chat?.analysis ?? '').summary).toContain('[')
    const [retrieved] = JSON.parse(turns[0]?.explanation ?? '')
    expect(retrieved.passages[0]).toEqual(PASSAGE)
    expect(retrieved).toMatchObject({ type: 'knowledge-retrieved', latencyMs: 3 })
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['chat_ended', 'chat_analyzed'])
  })

  test('is not in the closing webhooks, which may read the chat before it is processed', async () => {
    const { opened, lines, policy } = await settled(PII_CATEGORIES)
    await using _closed = opened
    if (policy === null) throw new Error('The chat carries no policy.')
    const publishedEvents = redactChat(
      buildChat(lines, category === 'person_name' ? `by ${secret}` : announced),
      policy,
    )
    expect(JSON.stringify(publishedEvents)).not.toContain(secret)
    expect(publishedEvents.retrievedPassages[0]).toEqual({ ...PASSAGE, headings: ['Help'], turnId: 'turn_1' })
    expect(redactChat(publishedEvents, policy)).toEqual(publishedEvents)
  })

  test('stays when its category is not configured', async () => {
    const others: PiiCategory[] = category === 'email' ? ['pin'] : ['email']
    const { opened, explanation } = await settled(others)
    await using _closed = opened
    expect((await opened.messagesOf('chat_1'))[1]?.content).toBe(said)
    expect((await opened.turnsOf('chat_1'))[0]?.explanation).toBe(explanation)
  })
})

test('with basic attributes only, passages are removed', async () => {
  await using opened = await openEndings()
  opened.addAgent('agent_1', { storage: 'basic_attributes_only' })
  await opened.addChat('chat_1', 'agent_1', [['user', 'Hello']])
  const update = opened.database.queryBuilder
    .updateTable('turns')
    .set({ explanation: explanationOf('Whatever it says.') })
    .where('chat_id', '=', 'chat_1')
  await opened.database.batch([{ query: update.compile() }])
  await opened.endAndFinalize('chat_1')
  expect((await opened.turnsOf('chat_1'))[0]?.explanation).toBe('[]')
  const bare = redactChat(buildChat([], 'Whatever it says.'), { setting: 'basic_attributes_only', categories: [] })
  expect(bare.retrievedPassages).toEqual([])
})

function buildChat(lines: readonly TestMessage[], passage: string): Chat {
  const messages = lines.map(([role, content], position): ChatMessage => {
    const parts = { name: '', tool_calls: [], tool_call_id: null, incomplete: false, turn_id: null }
    const created_at = '2026-01-31T00:00:00.000Z'
    return { message_id: `message_${position}`, role: role as ChatMessage['role'], content, created_at, ...parts }
  })
  const passages = [PASSAGE, { ...PASSAGE, text: passage }]
  return {
    chatId: 'chat_1',
    workspaceId: 1,
    agentId: 'agent_1',
    agentName: 'Robin',
    version: 1,
    responseEngine: { type: 'llm', id: 'llm_1', version: 1 },
    agentPath: [],
    status: 'completed',
    type: 'web_chat',
    metadata: {},
    customAttributes: {},
    startedAt: '2026-01-31T00:00:00.000Z',
    endedAt: '2026-01-31T00:01:00.000Z',
    transcript: lines.map(([, content]) => content).join('\n'),
    messages,
    chatCost: { total: null, currency: 'USD', items: [] },
    latencyP50Ms: null,
    chatAnalysis: { summary: passage, sentiment: 'Neutral', successful: true, customData: { note: passage } },
    retrievedPassages: passages.map((one) => ({ ...one, headings: [...one.headings], turnId: 'turn_1' })),
    collectedDynamicVariables: { note: passage },
    service_dynamic_variables: {},
    overrideDynamicVariables: {},
  }
}
