import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openEndings, type TestMessage } from './chat-lifecycle-test-kit.ts'
import { type DueChat, decideDueAction } from './due-chats.ts'

const HOUR_MS = 3_600_000
const LINES: readonly TestMessage[] = [
  ['user', 'Hello'],
  ['assistant', 'At what time?'],
]

describe('when a chat is due', () => {
  const ongoing = {
    status: 'ongoing',
    close_after_ms: 100,
    updated_at: 1_000,
    active_turn_id: null,
    hasWaitingTurn: false,
  }
  const ended = { status: 'completed', stored_as: 'everything', delete_at: null }
  test.each<[string, Partial<DueChat>, number, ReturnType<typeof decideDueAction>]>([
    ['silent for long enough', ongoing, 1_100, { type: 'close' }],
    ['a user wrote since', ongoing, 1_099, { type: 'check-later', dueAt: 1_100 }],
    ['a turn runs', { ...ongoing, active_turn_id: 'turn_1' }, 2_000, { type: 'check-later', dueAt: 62_000 }],
    ['a turn waits', { ...ongoing, hasWaitingTurn: true }, 2_000, { type: 'check-later', dueAt: 62_000 }],
    ['never closed', { ...ongoing, close_after_ms: null }, 9_999, { type: 'check-later', dueAt: null }],
    ['its job was lost', { ...ended, stored_as: null }, 9_999, { type: 'finalize' }],
    ['kept', ended, 9_999, { type: 'check-later', dueAt: null }],
    ['kept for a while', { ...ended, delete_at: 10_000 }, 9_999, { type: 'check-later', dueAt: 10_000 }],
    ['kept for long enough', { ...ended, delete_at: 9_999 }, 9_999, { type: 'delete' }],
  ])('%s', (_what, chat, now, decision) => {
    expect(decideDueAction(chat as DueChat, now)).toEqual(decision)
  })
})

describe('silent chats', () => {
  test('end with the closing message of their agent and are processed like others', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { endAfterSilenceMs: HOUR_MS, autoCloseMessage: 'Goodbye.' })
    opened.addAgent('agent_2', { endAfterSilenceMs: 2 * HOUR_MS })
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.addChat('chat_2', 'agent_2', LINES)
    await opened.time.advance(HOUR_MS - 1)
    await opened.processDue()
    expect((await opened.read('chat_1'))?.status).toBe('ongoing')
    await opened.time.advance(1)
    await opened.processDue()
    expect(await opened.read('chat_1')).toMatchObject({ status: 'completed', end_reason: 'silence', message_count: 3 })
    expect((await opened.messagesOf('chat_1')).at(-1)).toMatchObject({
      role: 'assistant',
      content: 'Goodbye.',
      position: 2,
    })
    expect((await opened.read('chat_2'))?.status).toBe('ongoing')
    expect(await opened.endJobs()).toEqual([{ chatId: 'chat_1' }])
    await opened.finalize('chat_1')
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['chat_ended', 'chat_analyzed'])

    await opened.time.advance(HOUR_MS)
    await opened.processDue()
    expect(await opened.read('chat_2')).toMatchObject({ status: 'completed', message_count: 2 })
  })

  test('do not end while a user writes or a turn runs', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { endAfterSilenceMs: HOUR_MS })
    for (const chatId of ['chat_1', 'chat_2', 'chat_3']) await opened.addChat(chatId, 'agent_1', LINES)
    await opened.time.advance(HOUR_MS)
    await opened.change('chat_1', { updated_at: opened.clock.now() - 1 })
    await opened.change('chat_2', { active_turn_id: 'turn_1' })
    const waiting = { turn_id: 'turn_2', chat_id: 'chat_3', place: 1, node_id: 'node_1' }
    await opened.database.transaction((transaction) =>
      transaction.insertInto('waiting_turns').values(waiting).execute(),
    )
    await opened.processDue()
    const chats = await Promise.all(['chat_1', 'chat_2', 'chat_3'].map(opened.read))
    expect(chats.map((chat) => chat?.status)).toEqual(['ongoing', 'ongoing', 'ongoing'])
    const now = opened.clock.now()
    expect(chats.map((chat) => chat?.due_at)).toEqual([now - 1 + HOUR_MS, now + 60_000, now + 60_000])
  })

  test('end without a message when their agent was deleted', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { autoCloseMessage: 'Goodbye.' })
    await opened.addChat('chat_1', 'agent_1', LINES)
    opened.removeAgent('agent_1')
    await opened.time.advance(HOUR_MS)
    await opened.processDue()
    expect(await opened.read('chat_1')).toMatchObject({ status: 'completed', message_count: 2 })
  })

  test('end many per run, and one failure does not block the others', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1')
    for (let index = 0; index < 220; index += 1) await opened.addChat(`chat_${index}`, 'agent_1')
    await opened.change('chat_7', { hand_overs: 'broken' })
    await opened.time.advance(HOUR_MS)
    await expect(opened.processDue()).rejects.toThrow(SyntaxError)
    const left = await opened.database.read
      .selectFrom('chats')
      .select('chat_id')
      .where('status', '=', 'ongoing')
      .execute()
    expect(left).toEqual([{ chat_id: 'chat_7' }])
    await opened.processDue()
  })
})

describe('ended chats', () => {
  test('get another job when theirs was lost', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1')
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.end('chat_1')
    await opened.time.advance(HOUR_MS)
    await opened.processDue()
    expect(await opened.endJobs()).toHaveLength(2)
    await opened.finalize('chat_1')
    await opened.time.advance(HOUR_MS)
    await opened.processDue()
    expect(await opened.endJobs()).toHaveLength(2)
  })

  test('are deleted when their retention ends, not before, and never while ongoing', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { retentionDays: 1 })
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.endAndFinalize('chat_1')
    await opened.time.advance(24 * HOUR_MS - 1)
    await opened.processDue()
    expect(await opened.read('chat_1')).toBeDefined()
    await opened.time.advance(1)
    await opened.processDue()
    expect(await opened.read('chat_1')).toBeUndefined()
    expect(await opened.messagesOf('chat_1')).toEqual([])
    expect(await opened.turnsOf('chat_1')).toEqual([])
  })
})

test('due chats are found by an index', async () => {
  await using opened = await openEndings()
  const { read, capabilities } = opened.database
  const query = sql`select * from chats where due_at <= ${1} order by due_at, chat_id limit 200`
  if (capabilities.rowLocks) {
    await opened.database.transaction(async (transaction) => {
      await sql`set local enable_seqscan = off`.execute(transaction)
      const { rows } = await sql<Record<string, string>>`explain ${query}`.execute(transaction)
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('chats_due')
    })
  } else {
    const { rows } = await sql<{ detail: string }>`explain query plan ${query}`.execute(read)
    expect(rows.map(({ detail }) => detail).join('\n')).toMatch(/^SEARCH chats USING INDEX chats_due \(due_at<\?\)$/)
  }
})
