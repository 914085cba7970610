import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatRow } from '../../../../../testing/seed-chats.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { MessageRow } from '../../tables/chat-tables.ts'
import { readHistory } from './chat-store.ts'
import { toHistory } from './turn/turn-context.ts'

const anyMessage = fc.constantFrom<Partial<MessageRow>>(
  { role: 'user' },
  { role: 'assistant' },
  { role: 'assistant', incomplete: 1 },
  { role: 'system' },
  { role: 'system', name: 'node_transition' },
)

test('the newest messages continue what the messages before them would show', async () => {
  await using database = await temporaryDatabase()
  await seedWorkspaces(database)
  let chats = 0
  const chat = fc.tuple(fc.array(anyMessage, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 6 }))
  await fc.assert(
    fc.asyncProperty(chat, async ([messages, limit]) => {
      chats += 1
      const chat_id = `chat_${chats}`
      const rows = messages.map((message, position) => ({ ...plainMessage(chat_id, position), ...message }))
      await database.batch([
        { query: database.compile.insertInto('chats').values(chatRow({ chat_id })).compile() },
        { query: database.compile.insertInto('messages').values(rows).compile() },
      ])
      const whole = toHistory(rows, false)
      const history = await readHistory(database.read, chat_id, limit)
      const newest = toHistory(history.messages, false)
      expect(newest).toEqual(whole.slice(whole.length - newest.length))
      if (newest.length > 0) expect(history.omitted).toBe(whole.length - newest.length)
    }),
    { numRuns: 60 },
  )
})

function plainMessage(chat_id: string, position: number): MessageRow {
  const message_id = `${chat_id}_${position}`
  const messageDefaults = {
    content: `message ${position}`,
    name: '',
    tool_calls: '[]',
    tool_call_id: null,
    incomplete: 0,
  } as const
  return { ...messageDefaults, message_id, chat_id, position, turn_id: null, role: 'user', created_at: 0 }
}
