import { describe, expect, test } from 'vitest'
import { buildTurnInfo } from '../../../../../../testing/deepgram-server/listen-replies.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { listen, setUpDeepgram } from './deepgram-test-kit.ts'
import { createDeepgramTranscriber } from './deepgram-transcriber.ts'

const MODEL = 'flux-general-en'
const END = buildTurnInfo('EndOfTurn', 'Sentinel.', { turn_index: 1_000 })
const hints = (...keywords: readonly string[]) => ({ language: 'en-US', keywords })

/** Opens a stream whose vendor answers changes only when the test does. */
async function openUnanswered() {
  const setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, MODEL, ['one'])
  connection.answersConfigure = false
  const getKeyTerms = () => connection.commands.map(({ keyterms }) => keyterms)
  return {
    ...setup,
    ...{ transcription, connection, getKeyTerms, session: transcription.session },
    received: (count: number) => setup.server.until(() => connection.commands.length >= count),
    /** Sends a message and waits until the client has handled it. */
    async answer(type: string) {
      connection.send({ type })
      connection.send(END)
      await transcription.waitForEvents(1)
    },
    async [Symbol.asyncDispose]() {
      transcription.session.close()
      await setup[Symbol.asyncDispose]()
    },
  }
}

test.each([
  [null, '5000'],
  [10, '500'],
  [800, '800'],
  [10_000, '10000'],
])('%s ms of silence end a turn in any case', async (endpointingMs, expected) => {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, MODEL, [], { endpointingMs })
  expect(connection.parameters.get('eot_timeout_ms')).toBe(expected)
  transcription.session.close()
})

describe('a change', () => {
  test.each([
    [MODEL, { thresholds: {}, keyterms: ['Lyon'] }],
    ['flux-general-multi', { thresholds: {}, keyterms: ['Lyon'], language_hints: ['fr'] }],
  ])('of %s is one message with all settings, which the vendor accepts', async (model, expected) => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, model, ['Parley'])
    transcription.session.changeHints?.({ language: 'fr-FR', keywords: ['Lyon'], endpointingMs: 700 })
    await setup.server.until(() => connection.commands.length > 0)
    const thresholds = { eager_eot_threshold: 0.5, eot_threshold: 0.7, eot_timeout_ms: 700 }
    expect(connection.commands).toEqual([{ type: 'Configure', ...expected, thresholds }])
    // The answer allows the next change.
    transcription.session.changeHints?.({ language: 'fr-FR', keywords: [] })
    await setup.server.until(() => connection.commands.length > 1)
    expect(connection.commands[1]).toMatchObject({ keyterms: [], thresholds: { eot_timeout_ms: 5_000 } })
    transcription.session.close()
  })

  test('without a difference sends nothing', async () => {
    await using stream = await openUnanswered()
    stream.session.changeHints?.({ language: 'en-GB', keywords: [' one', ''] })
    stream.session.changeHints?.(hints('two'))
    await stream.received(1)
    expect(stream.getKeyTerms()).toEqual([['two']])
  })

  test.each(['ConfigureSuccess', 'ConfigureFailure'])(
    'waits for the answer to the one before (%s), and only the latest is sent',
    async (answer) => {
      await using stream = await openUnanswered()
      for (const keyword of ['two', 'three', 'four']) stream.session.changeHints?.(hints(keyword))
      await stream.received(1)
      await stream.answer(answer)
      await stream.received(2)
      expect(stream.getKeyTerms()).toEqual([['two'], ['four']])
    },
  )

  test('waits for at most five seconds', async () => {
    await using stream = await openUnanswered()
    stream.session.changeHints?.(hints('two'))
    stream.session.changeHints?.(hints('three'))
    stream.clock.advance(4_750)
    await stream.received(1)
    expect(stream.getKeyTerms()).toEqual([['two']])
    stream.clock.advance(250)
    await stream.received(2)
    expect(stream.getKeyTerms()).toEqual([['two'], ['three']])
  })

  test('is part of the next connection after a loss, even without an answer', async () => {
    await using stream = await openUnanswered()
    stream.session.changeHints?.(hints('two'))
    stream.session.changeHints?.(hints('three'))
    await stream.received(1)
    stream.connection.drop()
    const next = await stream.opened(1)
    expect(next.parameters.getAll('keyterm')).toEqual(['three'])
    stream.session.changeHints?.(hints('four'))
    await stream.server.until(() => next.commands.length > 0)
    expect(next.commands).toMatchObject([{ keyterms: ['four'] }])
  })

  test('while the connection opens is sent once it is open, and none after the end', async () => {
    await using setup = await setUpDeepgram()
    const { session } = openTranscription(createDeepgramTranscriber({ ...setup.target, model: MODEL }), ['one'])
    session.changeHints?.(hints('two'))
    const connection = await setup.opened(0)
    expect(connection.parameters.getAll('keyterm')).toEqual(['one'])
    await setup.server.until(() => connection.commands.length > 0)
    session.close()
    session.changeHints?.(hints('three'))
    await connection.closed
    expect(connection.commands).toMatchObject([{ type: 'Configure', keyterms: ['two'] }, { type: 'CloseStream' }])
  })
})
