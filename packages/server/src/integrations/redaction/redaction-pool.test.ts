import type { Chat } from '@parley/contract/chat'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { RedactionFailedError, type RedactionTask } from '../../features/post-processing/redaction-tasks.ts'
import { RedactionPool, RedactionThread } from './redaction-pool.ts'
import type { ThreadResponse } from './redaction-worker.ts'

const EMPTY_CHAT = {
  messages: [],
  retrievedPassages: [],
  chatAnalysis: { summary: null, sentiment: null, successful: null, customData: {} },
  collectedDynamicVariables: {},
  service_dynamic_variables: {},
  overrideDynamicVariables: {},
} as unknown as Chat

function createTask(summary: string): RedactionTask {
  const chat = { ...EMPTY_CHAT, chatAnalysis: { ...EMPTY_CHAT.chatAnalysis, summary } }
  return { kind: 'chat', chat, policy: { setting: 'everything_except_pii', categories: ['email'] } }
}

/** A thread whose responses the test controls. */
class SlowThread extends RedactionThread {
  static readonly running: { readonly task: string; readonly respond: (answer: ThreadResponse | null) => void }[] = []

  override send(task: string): Promise<ThreadResponse | null> {
    return new Promise((respond) => {
      SlowThread.running.push({ task, respond: respond })
      void this.exited.then(() => respond(null))
    })
  }
}

test('redacts a conversation in a thread and rejects tasks after closing', async () => {
  const time = createManualClock()
  const pool = new RedactionPool({ clock: time.clock })
  const redacted = (await pool.run(1, createTask('Wrote to ana@example.com.'))) as Chat
  expect(redacted.chatAnalysis.summary).toBe('Wrote to [email].')
  await pool.close()
  await expect(pool.run(1, createTask('Late.'))).rejects.toThrow('stopping')
})

test('limits a workspace to one thread and fails a conversation at its deadline without quoting it', async () => {
  const time = createManualClock()
  const pool = new RedactionPool({ clock: time.clock, createThread: () => new SlowThread() })
  const { running } = SlowThread
  const firstRun = pool.run(1, createTask('first'))
  const secondRun = pool.run(1, createTask('second'))
  const otherRun = pool.run(2, createTask('other'))
  expect(running.map(({ task }) => /first|second|other/.exec(task)?.[0])).toEqual(['first', 'other'])
  running[1]?.respond({ result: '{}' })
  expect(await otherRun).toEqual({})
  const firstRejection = expect(firstRun).rejects.toMatchObject({ name: 'RedactionFailedError', isTimeout: true })
  await time.advance(60_000)
  await firstRejection
  await expect.poll(() => running.length).toBe(3)
  running[2]?.respond({ error: 'TypeError' })
  const failure = await secondRun.catch((error: unknown) => error)
  expect(failure).toEqual(
    new RedactionFailedError('Redacting the conversation failed: TypeError.', { isTimeout: false }),
  )
  await pool.close()
  expect(time.countPendingTimers()).toBe(0)
})
