import { ClientMessage } from '@parley/contract/live'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JOIN, openLive } from './web-test-kit.ts'

const VALID_MESSAGES: readonly ClientMessage[] = [
  { ...JOIN, type: 'join', protocol: 1, rateHz: 16_000 },
  { type: 'resume', protocol: 1, resumeToken: 'a.b', lastSeq: 0 },
  { type: 'listen', protocol: 1, accessToken: 'call_token-1' },
  { type: 'position', playedSamples: 160, capturedSamples: 160 },
  { type: 'recognised', utteranceId: 'u', text: 'hello', stage: 'final' },
  { type: 'typed', text: 'hello' },
  { type: 'recognition-failed' },
  { type: 'dtmf', digit: '5' },
  { type: 'muted', muted: true },
  { type: 'ping', id: 1 },
]
const anyValue = fc.oneof(
  fc.constantFrom(
    null,
    '',
    -1,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    -(2 ** 53),
    1e308,
    0.5,
    true,
    [],
    {},
    '\0',
    '\ud800',
    'x'.repeat(4_001),
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.integer(),
  fc.string(),
)
/** A valid message with some fields replaced, missing or added. */
const anyMalformed = fc
  .tuple(
    fc.constantFrom(...VALID_MESSAGES),
    fc.array(fc.tuple(fc.nat(), fc.option(anyValue)), { maxLength: 2 }),
    fc.boolean(),
  )
  .map(([message, changes, hasMore]) => {
    const fields: Record<string, unknown> = hasMore ? { ...message, __proto__x: 1, constructor: {} } : { ...message }
    const names = Object.keys(message).filter((name) => name !== 'type')
    for (const [index, value] of changes) {
      const name = names[index % names.length]
      if (name !== undefined) fields[name] = value ?? undefined
    }
    return JSON.stringify(fields)
  })
const anyStart = fc.oneof(
  fc.constantFrom(0, 1, 159, 160, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32 - 160),
  fc.nat({ max: 400_000 }),
  fc.nat({ max: 2 ** 32 - 1 }),
)
const anyAudio = fc.tuple(anyStart, fc.nat({ max: 700 }), fc.boolean()).map(([start, samples, isHostile]) => {
  const bytes = Buffer.alloc(4 + samples * 2 + (isHostile ? 1 : 0), 1)
  bytes.writeUInt32LE(start)
  return bytes
})

test('covers all message types', () => {
  const types = ClientMessage.options.map(({ shape }) => shape.type.value)
  expect([...VALID_MESSAGES.map(({ type }) => type), 'leave'].sort()).toEqual([...types].sort())
  for (const message of VALID_MESSAGES) expect(ClientMessage.safeParse(message).success).toBe(true)
})

test('delivers ordered frames with bounded gaps for any audio of a caller', async () => {
  await using live = await openLive()
  const { errors, time } = live
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 2, arbitrary: anyAudio }, { weight: 1, arbitrary: anyMalformed }), {
        maxLength: 30,
      }),
      fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
      async (messages, breakIndexes) => {
        await time.advance(5_000)
        const { browser, joined, received, leg } = await live.joined()
        const startedMs = time.clock.now()
        leg.send(new Int16Array(160), 0)
        let caller = browser
        let token = joined.resumeToken
        for (const [index, message] of messages.entries()) {
          if (breakIndexes.includes(index)) caller.socket.terminate()
          if (caller.socket.readyState !== caller.socket.OPEN) {
            await caller.closed
            await live.advanceTime(1_000)
            caller = await live.browse()
            caller.send({ type: 'resume', protocol: 1, resumeToken: token, lastSeq: 0 })
            token = (await caller.take('joined')).resumeToken
          }
          caller.socket.send(message)
          await caller.roundTrip()
        }
        caller.socket.terminate()
        await caller.closed
        const starts = received.items.flatMap((item) => /^frame (\d+) 160 /.exec(item)?.slice(1).map(Number) ?? [])
        expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b))
        const maxSamples = 8_000 * (20 + 1.1 * ((time.clock.now() - startedMs) / 1_000))
        expect(Math.max(0, ...starts)).toBeLessThanOrEqual(maxSamples)
        for (const item of received.items) {
          const [, played = 0, captured = 0] = /^played (.+) (.+)$/.exec(item)?.map(Number) ?? []
          expect([0, 160].includes(played) || played < 160).toBe(true)
          expect(captured).toBeLessThanOrEqual(maxSamples + 80_000)
        }
        leg.close(0)
        await live.advanceTime(16_000)
      },
    ),
    { numRuns: 40 },
  )
  expect(errors).toEqual([])
  expect(live.endpoint.callCount).toBe(0)
  expect(time.countPendingTimers()).toBe(0)
  await live.joined()
}, 30_000)
