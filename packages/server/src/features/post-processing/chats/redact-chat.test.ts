import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import { describe, expect, test } from 'vitest'
import { redactChat } from './redact-chat.ts'

const message = (role: ChatMessage['role'], content: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  message_id: `message_${content.length}`,
  turn_id: null,
  role,
  content,
  name: '',
  tool_calls: [],
  tool_call_id: null,
  incomplete: false,
  created_at: '2026-01-31T00:00:00.000Z',
  ...more,
})

const CHAT: Chat = {
  chatId: 'chat_1',
  workspaceId: 1,
  agentId: 'agent_1',
  agentName: 'Robin',
  version: 1,
  responseEngine: { type: 'llm', id: 'llm_1', version: 1 },
  agentPath: [],
  status: 'completed',
  type: 'web_chat',
  metadata: { email: 'kept@example.com' },
  customAttributes: {},
  startedAt: '2026-01-31T00:00:00.000Z',
  endedAt: '2026-01-31T00:01:00.000Z',
  transcript: 'Agent: Hi, what is your name?\nUser: Ana\nAgent: Thanks, Ana.',
  messages: [
    message('assistant', 'Hi, what is your name?'),
    message('user', 'Ana'),
    message('assistant', 'Thanks, Ana.'),
    message('system', '{"to_number":"+15550104477","text":"Hello Ana","status":"unsent"}', { name: 'sms' }),
  ],
  chatCost: { total: null, currency: 'USD', items: [] },
  chatAnalysis: { summary: 'Ana came.', sentiment: 'Neutral', successful: true, customData: { email: 'a@b.example' } },
  retrievedPassages: [],
  collectedDynamicVariables: { first_name: 'Ana' },
  service_dynamic_variables: { plan: 'gold' },
  overrideDynamicVariables: {},
}

describe('a chat as it may be told', () => {
  test('with everything it is the same', () => {
    expect(redactChat(CHAT, { setting: 'everything', categories: [] })).toBe(CHAT)
  })

  test('without what is personal, and the same when that is done again', () => {
    const policy = { setting: 'everything_except_pii', categories: PII_CATEGORIES } as const
    const redacted = redactChat(CHAT, policy)
    expect(redacted).toMatchObject({
      transcript: 'Agent: Hi, what is your name?\nUser: [person_name]\nAgent: Thanks, [person_name].',
      chatAnalysis: { summary: '[person_name] came.', customData: { email: '[email]' } },
      collectedDynamicVariables: { first_name: '[person_name]' },
      service_dynamic_variables: { plan: 'gold' },
      metadata: { email: 'kept@example.com' },
      agentName: 'Robin',
    })
    expect(redacted.messages[3]?.content).toBe(
      '{"to_number":"[phone_number]","text":"Hello [person_name]","status":"unsent"}',
    )
    expect(redactChat(redacted, policy)).toEqual(redacted)
    expect(Chat.safeParse(redacted).success).toBe(true)
  })

  test('with basic attributes only nothing that was said is left', () => {
    const redacted = redactChat(CHAT, { setting: 'basic_attributes_only', categories: [] })
    expect(redacted).toMatchObject({
      messages: [],
      transcript: '',
      chatAnalysis: { summary: null, sentiment: 'Neutral', successful: true, customData: {} },
      collectedDynamicVariables: {},
      metadata: { email: 'kept@example.com' },
      chatCost: CHAT.chatCost,
    })
    expect(JSON.stringify(redacted)).not.toMatch(/\bAna\b/)
  })
})
