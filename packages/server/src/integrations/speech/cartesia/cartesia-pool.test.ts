import type { SpeechEvent } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { buildSpeechRequest } from '../speech-test-kit.ts'
import { IDLE_CLOSE_MS, setUpCartesia } from './cartesia-test-kit.ts'

describe('sockets', () => {
  test('carry many contexts at the same time, and another socket opens for more', async () => {
    await using setup = await setUpCartesia()
    const texts = Array.from({ length: 18 }, (_, index) => `Text ${'a'.repeat(index + 1)}`)
    const results = await Promise.all(texts.map((text) => setup.speak(text)))
    expect(results.map(({ samples }) => samples)).toEqual(texts.map((text) => synthesizeTones(text, 16_000)))
    expect(setup.server.requests.filter(({ socketIndex }) => socketIndex === 0)).toHaveLength(16)
    expect(setup.server.socketCount).toBe(2)
    const contextIds = setup.server.requests.map(({ fields }) => fields.context_id)
    expect(new Set(contextIds).size).toBe(18)
  })

  test('close after a minute without requests, and the next request opens another', async () => {
    await using setup = await setUpCartesia()
    await setup.speak('One')
    setup.clock.advance(IDLE_CLOSE_MS - 1)
    await setup.speak('Two')
    expect(setup.server.socketCount).toBe(1)
    setup.clock.advance(IDLE_CLOSE_MS)
    await setup.server.allClosed()
    await setup.speak('Three')
    expect(setup.server.socketCount).toBe(2)
  })

  test('have no timer except for their idle time, whatever the outcome of the speech', async () => {
    await using setup = await setUpCartesia()
    await setup.speak('One')
    setup.server.script({ kind: 'error', status: 400 }, { kind: 'stall', afterChunks: 1 })
    await setup.speak('Two')
    const speech = setup.read('Three')
    await speech.next()
    await speech.return?.()
    expect(setup.clock.timerCount).toBe(1)
  })

  test('open in advance and stay open while a call needs them', async () => {
    await using setup = await setUpCartesia()
    const voice = buildSpeechRequest('')
    const releases = [setup.synthesizer.connect?.(voice), setup.synthesizer.connect?.(voice)]
    await setup.speak('One')
    releases[0]?.()
    releases[0]?.()
    setup.clock.advance(IDLE_CLOSE_MS * 4)
    await setup.speak('Two')
    expect(setup.server.socketCount).toBe(1)
    releases[1]?.()
    setup.clock.advance(IDLE_CLOSE_MS)
    await setup.server.allClosed()
  })

  test('that the service closed while they were idle are replaced without a failure', async () => {
    await using setup = await setUpCartesia()
    const release = setup.synthesizer.connect?.(buildSpeechRequest(''))
    await setup.speak('One')
    // The request is sent before the client has received the end of the connection.
    setup.server.closeIdleSockets()
    expect((await setup.speak('Two')).outcome).toBe('end')
    expect(setup.server.socketCount).toBe(2)
    setup.server.closeIdleSockets()
    await setup.server.allClosed()
    expect((await setup.speak('Three')).outcome).toBe('end')
    release?.()
  })

  test('that break within speech are not retried, so that no audio is repeated', async () => {
    await using setup = await setUpCartesia()
    await setup.speak('One')
    setup.server.script({ kind: 'cut', afterChunks: 2 })
    const { outcome, samples } = await setup.speak('Two three')
    expect(outcome).toMatchObject({ kind: 'unavailable' })
    expect(samples).toHaveLength(3_200)
  })

  test('that fail again are not retried', async () => {
    await using setup = await setUpCartesia()
    await setup.speak('One')
    setup.server.script({ kind: 'cut', afterChunks: 0 }, { kind: 'cut', afterChunks: 0 })
    expect((await setup.speak('Two')).outcome).toMatchObject({ kind: 'unavailable' })
    expect(setup.server.socketCount).toBe(2)
  })
})

describe('cancellation', () => {
  test('stops the context by its ID, drops late audio and keeps the socket', async () => {
    await using setup = await setUpCartesia()
    setup.server.script({ kind: 'stall', afterChunks: 2 }, { kind: 'stall', afterChunks: 1 })
    const controller = new AbortController()
    const events: SpeechEvent[] = []
    const aborted = (async () => {
      for await (const event of setup.read('One two three', { signal: controller.signal })) {
        events.push(event)
        if (events.length === 3) controller.abort()
      }
    })()
    const otherController = new AbortController()
    const other = setup.read('Other words', { signal: otherController.signal })
    expect((await other.next()).value).toMatchObject({ type: 'words' })
    await aborted
    await setup.server.received(3)
    const [first, , cancel] = setup.server.requests.map(({ fields }) => fields)
    expect(cancel).toEqual({ context_id: first?.context_id, cancel: true })
    // The late chunk of the cancelled context has arrived before this reply.
    expect((await setup.speak('Next')).samples).toEqual(synthesizeTones('Next', 16_000))
    expect(events.map(({ type }) => type)).toEqual(['words', 'audio', 'audio'])
    expect((await other.next()).value).toMatchObject({ type: 'audio' })
    await other.return?.()
    await setup.server.received(5)
    expect(setup.server.socketCount).toBe(1)
  })

  test('sends nothing if the context has ended or has not started', async () => {
    await using setup = await setUpCartesia()
    const controller = new AbortController()
    await setup.speak('One', { signal: controller.signal })
    controller.abort()
    expect((await setup.speak('Two', { signal: controller.signal })).events).toEqual([])
    await setup.speak('Three')
    expect(setup.server.requests.map(({ fields }) => fields.transcript)).toEqual(['One', 'Three'])
  })

  test('while the socket opens ends without an event', async () => {
    await using setup = await setUpCartesia()
    const controller = new AbortController()
    const speech = setup.speak('my secret plan', { signal: controller.signal })
    controller.abort()
    expect((await speech).events).toEqual([])
    await setup.speak('Next')
    expect(setup.server.socketCount).toBe(1)
  })
})
