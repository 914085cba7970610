import { expect, test } from 'vitest'
import type { FliteRequest, FliteResponse } from './flite-protocol.ts'
import { type FliteReply, FliteThread } from './flite-thread.ts'

const HELLO: FliteRequest = { text: 'Hello', voice: 'slt', speed: 1, rateHz: 8_000 }

/** Speaks one text; `hear` is told of each answer. */
function speak(
  thread: FliteThread,
  request: FliteRequest,
  hear: (onResponse: FliteResponse) => void = () => undefined,
) {
  return new Promise<FliteReply>((resolve) => thread.speak(request, { onResponse: hear, ended: resolve }))
}

test('a text that the synthesiser breaks at is told of without what it says, and the thread speaks on', async () => {
  const failures: Error[] = []
  const thread = new FliteThread((error) => failures.push(error))
  expect(await speak(thread, { ...HELLO, text: { toString: 'my secret' } as never })).toBe('error')
  expect(failures).toMatchObject([{ name: 'TypeError', message: 'The built-in voices failed.', code: null }])
  expect(failures[0]?.stack).toMatch(/^TypeError: The built-in voices failed\.\n\s+at .*flite/)
  expect(await speak(thread, HELLO)).toBe('words')
  await thread.end()
  expect(failures).toHaveLength(1)
})

test('a thread that is being ended has lost its text, also where the answer has come meanwhile', async () => {
  const failures: Error[] = []
  const thread = new FliteThread((error) => failures.push(error))
  let ended: Promise<void> | undefined
  const reply = await speak(thread, HELLO, ({ kind }) => {
    if (kind === 'words') ended = thread.end()
  })
  expect(reply).toBe('lost')
  await ended
  expect(await speak(thread, HELLO)).toBe('lost')
  expect(failures).toEqual([])
})
