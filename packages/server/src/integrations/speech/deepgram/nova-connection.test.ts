import type { TranscriberEvent } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import { DEEPGRAM_KEY } from '../../../../../../testing/deepgram-server/deepgram-server.ts'
import { buildResults } from '../../../../../../testing/deepgram-server/listen-replies.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { listen, setUpDeepgram, waitForEvent } from './deepgram-test-kit.ts'
import { createDeepgramTranscriber } from './deepgram-transcriber.ts'
import { FINAL, FROM_FINALIZE, NOVA, SENTINEL, SPEECH_FINAL, summarize } from './nova-test-kit.ts'

const isFailed = (event: TranscriberEvent): boolean => event.type === 'failed'

describe('a lost connection', () => {
  test('is replaced, and the audio without text is sent again with shifted times', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    const tone = synthesizeTones('one two three four', 16_000)
    transcription.session.voiceStarted()
    transcription.push(tone)
    await setup.server.until(() => connection.sampleCount === tone.length)
    connection.send(buildResults('One', 0, 0.5, FINAL))
    connection.send(buildResults('tw', 0.5, 1, {}))
    await transcription.waitForEvents(2)
    connection.drop()
    const next = await setup.opened(1)
    transcription.session.voiceEnded()
    await setup.server.until(() => next.commandTypes.includes('Finalize'))
    expect(next.getSamples()).toEqual(tone.subarray(8_000))
    expect(Math.max(...next.messageSizes)).toBeLessThanOrEqual(8_000)
    next.send(buildResults('two three four.', 0.1, 0.9, FROM_FINALIZE))
    const events = await transcription.waitForEvents(3)
    expect(summarize(events)).toEqual(['1 stable One', '1 interim One tw', '1 final One two three four.'])
    expect(events.at(-1)).toMatchObject({
      words: [
        { text: 'One', startMs: 0, endMs: 500 },
        { text: 'two', startMs: 600 },
        {},
        { text: 'four.', endMs: 1400 },
      ],
    })
    transcription.session.close()
  })

  test('resends at most 15 seconds', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    transcription.pushSilence(20_000)
    await setup.server.until(() => connection.sampleCount === 320_000)
    connection.drop()
    const next = await setup.opened(1)
    await setup.server.until(() => next.sampleCount === 240_000)
    next.send(buildResults('Late.', 1, 2, SPEECH_FINAL))
    expect(await transcription.waitForEvents(1)).toMatchObject([
      { text: 'Late.', words: [{ startMs: 0, endMs: 1000 }] },
    ])
    transcription.session.close()
  })

  test('is replaced twice in a row, the second time after a delay, and again after a stable connection', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    connection.close(1011, 'NET-0000')
    const second = await setup.opened(1)
    second.drop()
    await setup.clock.waitForTimer(500)
    setup.clock.advance(500)
    const third = await setup.opened(2)
    transcription.pushSilence(20)
    await setup.server.until(() => third.sampleCount > 0)
    setup.clock.advance(9_900)
    setup.clock.advance(200)
    third.drop()
    const fourth = await setup.opened(3)
    fourth.send(SENTINEL)
    await transcription.waitForEvents(1)
    fourth.sendRaw('no JSON')
    await setup.clock.waitForTimer(500)
    setup.clock.advance(500)
    const fifth = await setup.opened(4)
    fifth.drop()
    expect(summarize(await waitForEvent(transcription, isFailed))).toEqual(['1 final Sentinel.', 'failed unavailable'])
    expect(setup.server.connections).toHaveLength(5)
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })

  test('is detected by the missing answer to voice', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    transcription.pushSilence(500)
    transcription.session.voiceEnded()
    await setup.server.until(() => connection.commandTypes.includes('Finalize'))
    setup.clock.advance(1_400)
    connection.send({ type: 'Metadata' })
    connection.send(SENTINEL)
    await transcription.waitForEvents(1)
    transcription.session.voiceEnded()
    await setup.server.until(() => connection.commandTypes.filter((type) => type === 'Finalize').length === 2)
    setup.clock.advance(1_500)
    const next = await setup.opened(1)
    // The request for the final text is repeated.
    await setup.server.until(() => next.commandTypes.includes('Finalize'))
    transcription.session.close()
  })
})

describe('a failure', () => {
  test.each([
    [401, 'unauthorized', false],
    [403, 'unauthorized', false],
    [429, 'rate-limited', true],
    [400, 'rejected', false],
    [503, 'unavailable', true],
  ])('of the first handshake with status %i is final', async (status, kind, retryable) => {
    await using setup = await setUpDeepgram()
    setup.server.refuse(status)
    const transcription = openTranscription(createDeepgramTranscriber({ ...setup.target, model: NOVA }))
    transcription.pushSilence(100)
    transcription.session.voiceEnded()
    // The ID and the reason help to find the cause.
    const message = expect.stringMatching(/Request ID: [0-9a-f-]{36}\. Reason: Refused\.$/)
    const failure = { kind, retryable, message }
    expect(await transcription.waitForEvents(1)).toMatchObject([{ type: 'failed', failure }])
    expect(setup.server.refusals).toEqual([status])
    expect(setup.clock.timerCount).toBe(0)
  })

  test('of the key is final and does not contain it', async () => {
    await using setup = await setUpDeepgram('wrong-secret')
    const transcription = openTranscription(createDeepgramTranscriber({ ...setup.target, model: NOVA }))
    const [event] = await transcription.waitForEvents(1)
    expect(event).toMatchObject({ type: 'failed', failure: { kind: 'unauthorized' } })
    expect(JSON.stringify(event)).not.toContain('secret')
  })

  test.each([
    ['Bad Request: failed to process `keyterm`', 'Bad Request: failed to process `keyterm`'],
    [`The key ${DEEPGRAM_KEY} of a@example.org`, 'The key [key] of [e-mail]'],
    ['No term "my secret plan"', 'No term "…"'],
    ['x'.repeat(3_000), `${'x'.repeat(239)}…`],
  ])('of the handshake has a short reason without keys and quoted text', async (reason, expected) => {
    await using setup = await setUpDeepgram()
    setup.server.setRefusalReason(reason)
    setup.server.refuse(400)
    const transcription = openTranscription(createDeepgramTranscriber({ ...setup.target, model: NOVA }))
    const [event] = await transcription.waitForEvents(1)
    const message = event?.type === 'failed' ? event.failure.message : ''
    expect(message.split(' Reason: ')[1]).toBe(expected)
  })

  test.each([1003, 1007, 1008, 1009])('with close code %i is final', async (code) => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    connection.close(code, 'DATA-0000')
    expect(await transcription.waitForEvents(1)).toMatchObject([{ type: 'failed', failure: { kind: 'rejected' } }])
    expect(setup.server.connections).toHaveLength(1)
    transcription.pushSilence(100)
    transcription.session.voiceEnded()
    transcription.session.close()
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })

  test('reported as a message leads to another connection, without the text of the message', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    for (let index = 0; index < 3; index += 1) {
      const current = index === 0 ? connection : await setup.opened(index)
      current.send({ type: 'Error', description: 'my secret plan', variant: 'SomeError' })
      if (index !== 1) continue
      await setup.clock.waitForTimer(500)
      setup.clock.advance(500)
    }
    const [event] = await transcription.waitForEvents(1)
    expect(event).toMatchObject({ failure: { message: 'The provider reported an error (SomeError).' } })
  })

  test('with status 429 while it reconnects is retried once', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    setup.server.refuse(429)
    connection.drop()
    await setup.clock.waitForTimer(500)
    setup.clock.advance(500)
    const next = await setup.opened(1)
    next.send(SENTINEL)
    await transcription.waitForEvents(1)
    transcription.session.close()
  })
})
