import type { Chat } from '@parley/contract/chat'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { RedactionFailedError, type RedactionTask } from '../../features/post-processing/redaction-tasks.ts'
import { RedactionPool, RedactionThread } from './redaction-pool.ts'
import type { ThreadAnswer } from './redaction-worker.ts'

const EMPTY_CHAT = {
  messages: [],
  retrievedPassages: [],
  chatAnalysis: { summary: null, sentiment: null, successful: null, customData: {} },
  collectedDynamicVariables: {},
  service_dynamic_variables: {},
  overrideDynamicVariables: {},
} as unknown as Chat

function chatWithSummary(summary: string): RedactionTask {
  const chat = { ...EMPTY_CHAT, chatAnalysis: { ...EMPTY_CHAT.chatAnalysis, summary } }
  return { kind: 'chat', chat, policy: { setting: 'everything_except_pii', categories: ['email'] } }
}

/** A thread that answers when the test says so. */
class SlowThread extends RedactionThread {
  static readonly running: { readonly task: string; readonly answer: (answer: ThreadAnswer | null) => void }[] = []

  override ask(task: string): Promise<ThreadAnswer | null> {
    return new Promise((answer) => {
      SlowThread.running.push({ task, answer })
      void this.exited.then(() => answer(null))
    })
  }
}

test('a conversation comes back redacted from a thread, which ends when idle', async () => {
  const time = createManualClock()
  const pool = new RedactionPool({ clock: time.clock })
  const redacted = (await pool.run(1, chatWithSummary('Wrote to ana@example.com.'))) as Chat
  expect(redacted.chatAnalysis.summary).toBe('Wrote to [email].')
  await pool.close()
  await expect(pool.run(1, chatWithSummary('Late.'))).rejects.toThrow('stopping')
})

test('one workspace holds one thread, and a conversation over its deadline fails without a word of it', async () => {
  const time = createManualClock()
  const pool = new RedactionPool({ clock: time.clock, createThread: () => new SlowThread() })
  const { running } = SlowThread
  const first = pool.run(1, chatWithSummary('first'))
  const second = pool.run(1, chatWithSummary('second'))
  const other = pool.run(2, chatWithSummary('other'))
  expect(running.map(({ task }) => /first|second|other/.exec(task)?.[0])).toEqual(['first', 'other'])
  running[1]?.answer({ result: '{}' })
  expect(await other).toEqual({})
  const failing = expect(first).rejects.toMatchObject({ name: 'RedactionFailedError', isTimeout: true })
  await time.advance(60_000)
  await failing
  await expect.poll(() => running.length).toBe(3)
  running[2]?.answer({ error: 'TypeError' })
  const failure = await second.catch((error: unknown) => error)
  expect(failure).toEqual(
    new RedactionFailedError('Redacting the conversation failed: TypeError.', { isTimeout: false }),
  )
  await pool.close()
  expect(time.pendingTimers()).toBe(0)
})
