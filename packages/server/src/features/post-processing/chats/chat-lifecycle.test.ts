import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { expect, test } from 'vitest'
import type { PostProcessingSettings } from '../../agents/pinned-agent.ts'
import { openEndings } from './chat-lifecycle-test-kit.ts'

const AFTERWARDS: PostProcessingSettings = {
  analysisItems: [],
  analysisModel: null,
  endAfterSilenceMs: 60_000,
  autoCloseMessage: null,
  storage: 'everything_except_pii',
  piiCategories: ['email'],
  retentionDays: null,
}

test('a chat carries the end settings of its agents', async () => {
  await using opened = await openEndings()
  const { lifecycle } = opened
  const columns = lifecycle.getInitialColumns(AFTERWARDS, 1_000)
  expect(columns).toEqual({
    close_after_ms: 60_000,
    due_at: 61_000,
    storage: '{"setting":"everything_except_pii","categories":["email"],"retentionDays":null}',
  })
  const to = { ...AFTERWARDS, storage: 'everything', endAfterSilenceMs: 5_000, retentionDays: 3 } as const
  const handedOver = lifecycle.getHandoffColumns(columns, { ...to, piiCategories: PII_CATEGORIES }, 2_000)
  expect(handedOver).toMatchObject({ close_after_ms: 5_000, due_at: 7_000 })
  expect(JSON.parse(handedOver.storage ?? '')).toEqual({
    setting: 'everything_except_pii',
    categories: ['email'],
    retentionDays: 3,
  })
})

test('the end is committed with its job, or not at all', async () => {
  await using opened = await openEndings()
  opened.addAgent('agent_1')
  await opened.addChat('chat_1', 'agent_1')
  const { database, lifecycle } = opened
  const never = database.queryBuilder.updateTable('chats').set({ status: 'completed' }).where('chat_id', '=', 'chat_9')
  const batch = [
    { query: never.compile(), expectRows: 1 },
    ...lifecycle.onEnded({ chat_id: 'chat_1', workspace_id: 1 }, 'agent'),
  ]
  await expect(database.batch(batch)).rejects.toThrow()
  expect(await opened.endJobs()).toEqual([])
  expect((await opened.read('chat_1'))?.end_reason).toBeNull()
})

test('older chats carry no settings and can still be reduced', async () => {
  await using opened = await openEndings()
  await opened.addChat('chat_1', 'agent_1', [['user', 'ana@example.com']])
  const chat = await opened.read('chat_1')
  if (chat === undefined) throw new Error('the chat is missing')
  expect(chat).toMatchObject({ storage: null, due_at: null })
  await opened.database.batch(opened.lifecycle.tightenStorage(chat, 'everything_except_pii'))
  await opened.endAndFinalize('chat_1')
  expect((await opened.messagesOf('chat_1'))[0]?.content).toBe('[email]')
})
