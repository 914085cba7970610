import { expect, test } from 'vitest'
import { interruptedDatabase } from '../../../../../testing/interrupted-database.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { openEndings } from '../post-processing/chats/chat-lifecycle-test-kit.ts'
import { NOOP_CHAT_EVENTS } from './chat-events.ts'
import { createChatService } from './chat-service.ts'

const unused = (): never => {
  throw new Error('not needed here')
}

test('what is stored of a chat is not relaxed by who decides on what it was before', async () => {
  await using opened = await openEndings()
  await opened.addChat('chat_1', 'agent_1')
  const tightenStorage = (database: Database, setting: 'everything_except_pii' | 'basic_attributes_only') =>
    createChatService({
      database,
      clock: opened.processClock,
      makeId: unused,
      agents: { pin: unused, load: unused, preview: unused },
      completions: { cancel: unused, cancelAll: unused, activeChatIds: unused },
      events: { ...NOOP_CHAT_EVENTS, ...opened.lifecycle },
    }).update(1, 'chat_1', { data_storage_setting: setting })
  const { database, beforeNextWrite } = interruptedDatabase(opened.database)
  beforeNextWrite(() => tightenStorage(opened.database, 'basic_attributes_only'))
  await expect(tightenStorage(database, 'everything_except_pii')).rejects.toMatchObject({ code: 'invalid_request' })
  const { storage } = (await opened.read('chat_1')) ?? {}
  expect(JSON.parse(storage ?? '')).toMatchObject({ setting: 'basic_attributes_only' })
})
