import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../../scripts/service-programs.cjs'
import { expectEventually } from '../../testing/browser/eventually.ts'
import { readPageMessages, readPageRecording } from '../../testing/browser/page-recording.ts'
import { listenToCall } from '../../testing/call-client.ts'
import {
  findAudioStartMs,
  findSilenceStartMs,
  getDurationMs,
  joinRecordings,
  locateAudio,
  locateWaveform,
  measureAudibleMs,
  sliceRecording,
} from '../../testing/locate-audio.ts'
import { startNetworkProxy } from '../../testing/network-proxy.ts'
import { expectBody, send } from '../../testing/server-test.ts'
import { correlateEnvelopes } from '../../testing/speech-server/envelope.ts'
import type { Recording } from '../../testing/speech-server/wav-audio.ts'
import {
  type CallScene,
  createMicrophoneAudio,
  mix,
  openCallScene,
  readEvents,
  readRecording,
  readStereo,
  startCaller,
  synthesizeTexts,
  synthesizeWithWordTimes,
  toRecording,
} from '../full/web-call-scene.ts'

const QUESTION = 'When do you open on Sunday?'
const ANSWER = 'On Sunday we open at ten in the morning.'
const STORY_REQUEST = 'Please tell me the long story.'
const STORY = [
  'Once upon a time there was a small village by the sea.',
  'Every morning the fishermen went out with their boats.',
  'In the evening they came home and told long stories about the waves.',
  'One day a stranger arrived who had never seen the sea before.',
  'He asked them to take him along when the wind was good.',
  'So they gave him an old coat and a place at the helm.',
]
const SHORT_STORY = STORY.slice(0, 4)
const BARGE_IN = 'Wait a moment, I have another question.'
const READY = 'Of course, what is your question?'
const ANSWERS = { [QUESTION]: ANSWER, [STORY_REQUEST]: STORY.join(' '), [BARGE_IN]: READY }

/**
 * Speech without known words that stops the agent at high sensitivity, and the time for detection and the browser's buffers. The
 * scripted recognizer knows words only after the caller stops.
 */
const WORDLESS_SPEECH_MS = 500
const REACTION_MS = 150
const MAX_SILENCE_AFTER_MS = WORDLESS_SPEECH_MS + REACTION_MS
const MAX_ATTEMPTS = 3

/** Times of the caller's utterances, from the opening of the microphone. */
const AT_MS = { question: 2_500, wish: 12_000, mhm: 18_000, bargeIn: 24_500, end: 31_500 }

async function prepareCallerAudio(scene: CallScene) {
  const speech = await synthesizeTexts({ question: QUESTION, wish: STORY_REQUEST, mhm: 'I see.', bargeIn: BARGE_IN })
  scene.speechServer.addRecording(speech.question, QUESTION)
  scene.speechServer.addRecording(speech.wish, STORY_REQUEST)
  scene.speechServer.addRecording(speech.mhm, 'I see.')
  scene.speechServer.addRecording(speech.bargeIn, BARGE_IN)
  return speech
}

/** Returns the best correlation of an utterance with the recordings sent to the speech recognizer. */
function bestMatch(scene: CallScene, speech: Recording): number {
  return Math.max(...scene.speechServer.recordings.map((heard) => correlateEnvelopes(speech, heard)))
}

/** Waits until the page has recorded `timeMs` of the call. */
async function passed(page: Page, timeMs: number): Promise<void> {
  const recordedMs = () => page.evaluate<number>('tape.chunks.length * 20')
  await expect.poll(recordedMs, { timeout: 60_000 }).toBeGreaterThan(timeMs)
}

/** Runs a whole conversation on the call page and returns what both sides heard. */
async function converse(scene: CallScene) {
  const speech = await prepareCallerAudio(scene)
  const microphone = createMicrophoneAudio([
    { atMs: AT_MS.question, speech: speech.question },
    { atMs: AT_MS.wish, speech: speech.wish },
    { atMs: AT_MS.mhm, speech: speech.mhm },
    { atMs: AT_MS.bargeIn, speech: speech.bargeIn },
  ])
  const { callId, path } = await scene.makeCall()
  await using browser = await startCaller(microphone)
  const { page, pageViolations } = await browser.open(scene.server.url + path)
  await page.getByRole('button', { name: 'Start the call' }).click()
  await passed(page, AT_MS.wish)
  const { body } = await send<{ accessToken: string }>(scene.server, 'POST', `/api/v1/calls/${callId}/listen`)
  await using listener = await listenToCall(scene.server.url, body.accessToken)
  await passed(page, AT_MS.bargeIn)
  const events = readEvents(scene.server, callId)
  await passed(page, AT_MS.end)
  const pageRecording = await readPageRecording(page)
  const pageMessages = await readPageMessages(page)
  const captions = await page
    .locator('.captions p')
    .evaluateAll((lines: { dataset: { role: string }; textContent: string }[]) =>
      lines.map(({ dataset, textContent }) => `${dataset.role}: ${textContent}`),
    )
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByRole('heading', { name: 'Call ended' }).waitFor()
  expect(pageViolations).toEqual({ foreignRequests: [], errors: [] })
  return { speech, callId, pageRecording, pageMessages, captions, events: await events, listener }
}

type Conversation = Awaited<ReturnType<typeof converse>>

/** Measures the time from the start of the barge-in to the agent's silence. */
function bargeIn({ pageRecording }: Conversation) {
  const micAtMs = findAudioStartMs(pageRecording.microphone, AT_MS.bargeIn - 500) ?? 0
  const silentAtMs = findSilenceStartMs(pageRecording.agent, micAtMs, 300) ?? Number.POSITIVE_INFINITY
  return { micAtMs, silentAtMs, afterMs: silentAtMs - micAtMs }
}

async function converseWithRetries(scene: CallScene): Promise<Conversation> {
  for (let attempt = 1; ; attempt += 1) {
    const conversation = await converse(scene)
    const { afterMs } = bargeIn(conversation)
    console.info(`barge-in: silent ${afterMs} ms after the caller's first sound (try ${attempt})`)
    if (afterMs <= MAX_SILENCE_AFTER_MS || attempt === MAX_ATTEMPTS) return conversation
  }
}

/** Counts the words of the story that the page played before the silence, using only its recording. */
async function countPlayedWords({ pageRecording }: Conversation, silentAtMs: number): Promise<number> {
  const spoken = await synthesizeWithWordTimes(STORY, 'slt')
  const story = joinRecordings(spoken.map(({ recording }) => recording))
  const last = sliceRecording(pageRecording.agent, silentAtMs - 520, silentAtMs - 20)
  const { atMs, correlation } = locateWaveform(last, story)
  console.info(`the last half second of the story is its ${atMs} ms (correlation ${correlation.toFixed(3)})`)
  let startMs = 0
  let count = 0
  for (const { recording, words } of spoken) {
    count += words.filter(({ endMs }) => startMs + endMs <= atMs + 500).length
    startMs += getDurationMs(recording)
  }
  return count
}

/** Locates the page's audio in both recorded tracks and measures the offset between them. */
function trackOffsets(
  { pageRecording }: Conversation,
  recorded: { readonly caller: Recording; readonly agent: Recording },
) {
  const segments = [
    { from: AT_MS.question - 500, to: AT_MS.question + 6_500 },
    { from: AT_MS.bargeIn - 500, to: AT_MS.bargeIn + 6_500 },
  ]
  return segments.map(({ from, to }) => {
    const bounds = { fromMs: from - 400, toMs: from + 400 }
    const caller = locateAudio(sliceRecording(pageRecording.microphone, from, to), recorded.caller, bounds)
    const agent = locateAudio(sliceRecording(pageRecording.agent, from, to), recorded.agent, bounds)
    // The call recording places the agent's audio where the caller hears it, after the browser's output delay.
    return { caller, agent, offsetMs: agent.atMs - caller.atMs, delayMs: pageRecording.outputDelayMs }
  })
}

describe.skipIf(findChromium() === null)('a call in a real browser', () => {
  test('is recognized, answered, interrupted and recorded', async () => {
    await using scene = await openCallScene(ANSWERS)
    const conversation = await converseWithRetries(scene)
    const { speech, pageRecording, pageMessages, captions, callId, listener, events } = conversation

    // The speech recognizer receives the microphone audio.
    for (const each of ['question', 'wish', 'bargeIn'] as const) {
      const likeness = bestMatch(scene, speech[each])
      console.info(`the recogniser heard "${each}" with a correlation of ${likeness.toFixed(3)}`)
      expect(likeness).toBeGreaterThanOrEqual(0.95)
    }

    // The agent answers the question, and the page plays the answer.
    expect(captions).toEqual([
      expect.stringContaining(QUESTION),
      expect.stringContaining(ANSWER),
      expect.stringContaining(STORY_REQUEST),
      expect.stringContaining(STORY[0] ?? ''),
      expect.stringContaining('I see.'),
      expect.stringContaining(BARGE_IN),
      expect.stringContaining(READY),
    ])
    const [answer] = await synthesizeWithWordTimes([ANSWER], 'slt')
    const answerMatch = locateAudio(answer?.recording as Recording, pageRecording.agent, {
      fromMs: 3_000,
      toMs: AT_MS.wish,
      stepMs: 5,
    })
    console.info(`the page played the answer with a correlation of ${answerMatch.correlation.toFixed(3)}`)
    expect(answerMatch.correlation).toBeGreaterThanOrEqual(0.95)
    expect(findAudioStartMs(pageRecording.agent, 0)).toBeGreaterThan(AT_MS.question)

    // The agent continues after backchannels such as "I see.".
    const spokenOnMs = measureAudibleMs(pageRecording.agent, AT_MS.mhm, AT_MS.bargeIn)
    console.info(`the agent spoke for ${spokenOnMs} ms from "I see." to the barge-in`)
    expect(spokenOnMs).toBeGreaterThan((AT_MS.bargeIn - AT_MS.mhm) / 2)

    // A barge-in stops the agent, and only the words that were played are kept.
    const { silentAtMs, afterMs } = bargeIn(conversation)
    expect(afterMs).toBeLessThanOrEqual(MAX_SILENCE_AFTER_MS)
    const agentMessages = events.map(({ data }) => data).filter(({ type }) => type === 'agent-message')
    const story = agentMessages.find(({ interrupted }) => interrupted === true)
    const kept = String(story?.content).split(' ').length
    const heard = await countPlayedWords(conversation, silentAtMs)
    console.info(`of the story ${kept} words are kept; the page had played ${heard}`)
    expect(STORY.join(' ').startsWith(String(story?.content))).toBe(true)
    expect(story?.content).not.toBe(STORY.join(' '))
    expect(Math.abs(kept - heard)).toBeLessThanOrEqual(1)
    expect(agentMessages.map(({ content }) => content)).toEqual([ANSWER, story?.content, READY])
    const bargeInMessage = events.map(({ data }) => data).find(({ content }) => content === BARGE_IN)
    expect(pageMessages.filter(({ message }) => message.type === 'ended')).toEqual([])
    expect(bargeInMessage).toMatchObject({ type: 'user-message', source: 'speech' })

    // While both speak, the page lowers the agent, so the sides are compared before and after.
    const both = mix(pageRecording.microphone, pageRecording.agent)
    const listenerAudio = toRecording(listener.frames, listener.joined.rateHz)
    const lags = [-3_000, MAX_SILENCE_AFTER_MS].map((afterMs) => {
      const fromMs = AT_MS.bargeIn + afterMs
      const part = sliceRecording(both, fromMs, fromMs + 1_800)
      const match = locateAudio(part, listenerAudio, { fromMs: 0, toMs: 20_000, stepMs: 2 })
      expect(match.correlation).toBeGreaterThan(0.95)
      return match.atMs - fromMs
    })
    const offsetMs = (lags[0] ?? 0) - (lags[1] ?? 0)
    console.info(`a listener heard the agent ${offsetMs} ms later than the caller`)
    // Pages report every 100 ms what they played.
    expect(Math.abs(offsetMs)).toBeLessThanOrEqual(200)

    // The recording contains both sides at the right times.
    const wav = await readRecording(scene.server, callId)
    const recorded = readStereo(wav)
    for (const each of ['question', 'wish', 'bargeIn'] as const) {
      const kept = locateAudio(speech[each], recorded.caller, {
        fromMs: AT_MS[each] - 1_000,
        toMs: AT_MS[each] + 1_000,
        stepMs: 10,
      })
      console.info(`the recording has "${each}" with a correlation of ${kept.correlation.toFixed(3)}`)
      expect(kept.correlation).toBeGreaterThanOrEqual(0.95)
    }
    for (const { caller, agent, offsetMs, delayMs } of trackOffsets(conversation, recorded)) {
      console.info(
        `recording: sides ${offsetMs} ms apart, ${delayMs.toFixed(0)} ms of it the loudspeaker's delay ` +
          `(correlations ${caller.correlation.toFixed(3)}, ${agent.correlation.toFixed(3)})`,
      )
      expect(Math.min(caller.correlation, agent.correlation)).toBeGreaterThan(0.9)
      expect(Math.abs(offsetMs - delayMs)).toBeLessThanOrEqual(40)
    }
  })

  test('is interrupted just as fast with browser noise suppression', async () => {
    await using scene = await openCallScene(ANSWERS)
    const speech = await prepareCallerAudio(scene)
    const bargeInAtMs = 10_000
    let afterMs = Number.POSITIVE_INFINITY
    for (let attempt = 1; attempt <= MAX_ATTEMPTS && afterMs > MAX_SILENCE_AFTER_MS; attempt += 1) {
      const { path } = await scene.makeCall({}, { begin_message: STORY.join(' ') })
      const microphone = createMicrophoneAudio([{ atMs: bargeInAtMs, speech: speech.bargeIn }])
      await using browser = await startCaller(microphone, { cleanUp: true })
      const { page } = await browser.open(scene.server.url + path)
      await page.getByRole('button', { name: 'Start the call' }).click()
      await passed(page, bargeInAtMs + 4_000)
      const pageRecording = await readPageRecording(page)
      const micAtMs = findAudioStartMs(pageRecording.microphone, bargeInAtMs - 500) ?? 0
      expect(measureAudibleMs(pageRecording.agent, bargeInAtMs - 2_000, bargeInAtMs)).toBeGreaterThan(500)
      afterMs = (findSilenceStartMs(pageRecording.agent, micAtMs, 300) ?? Number.POSITIVE_INFINITY) - micAtMs
      console.info(`barge-in through the clean-up: silent ${afterMs} ms after the first sound (try ${attempt})`)
    }
    expect(afterMs).toBeLessThanOrEqual(MAX_SILENCE_AFTER_MS)
  })

  test.each(['pauseTraffic', 'disconnect'] as const)('survives ten seconds without a network (%s)', async (kind) => {
    await using scene = await openCallScene({ ...ANSWERS, [STORY_REQUEST]: SHORT_STORY.join(' ') })
    await using network = await startNetworkProxy(scene.server.url)
    const speech = await prepareCallerAudio(scene)
    const { callId, path } = await scene.makeCall()
    await using browser = await startCaller(
      createMicrophoneAudio([
        { atMs: 2_500, speech: speech.wish },
        { atMs: 33_000, speech: speech.question },
      ]),
    )
    const { page } = await browser.open(network.url + path)
    await page.getByRole('button', { name: 'Start the call' }).click()
    await page.getByText(STORY[1] ?? '').waitFor()
    network[kind]()
    const lostAtMs = performance.now()
    await page.getByText('Reconnecting').waitFor()
    console.info(`${kind}: noticed after ${Math.round(performance.now() - lostAtMs)} ms`)
    await expect.poll(() => performance.now() - lostAtMs, { timeout: 15_000 }).toBeGreaterThan(10_000)
    network.restore()
    await page.getByText(SHORT_STORY[3] ?? '').waitFor()
    console.info(`${kind}: back after ${Math.round(performance.now() - lostAtMs)} ms, ${network.accepted} connections`)
    await page.getByText(ANSWER).waitFor()
    await page.getByText('Listening', { exact: true }).waitFor()
    const pageRecording = await readPageRecording(page)
    const captions = await page.locator('.captions p[data-role="agent"] .said').allInnerTexts()
    expect(captions).toEqual([SHORT_STORY.join(' '), ANSWER])
    await page.getByRole('button', { name: 'End', exact: true }).click()
    const events = (await readEvents(scene.server, callId)).map(({ data }) => data)
    expect(events.filter(({ type }) => type === 'agent-message').map(({ content }) => content)).toEqual([
      SHORT_STORY.join(' '),
      ANSWER,
    ])
    expect(events.filter(({ type }) => type === 'user-message').map(({ content }) => content)).toEqual([
      STORY_REQUEST,
      QUESTION,
    ])
    const spoken = await synthesizeWithWordTimes([...SHORT_STORY, ANSWER], 'slt')
    const expectedMs = spoken.reduce((sum, { recording }) => sum + measureAudibleMs(recording, 0, 60_000), 0)
    const heardMs = measureAudibleMs(pageRecording.agent, 0, 120_000)
    console.info(`${kind}: the page played ${heardMs} ms of sound; said once it is ${expectedMs} ms`)
    // The start of the interrupted word is repeated.
    expect(heardMs - expectedMs).toBeLessThan(1_500)
    expect(heardMs - expectedMs).toBeGreaterThan(-500)
    // The recording contains the audio before and after the gap, unchanged and at the right times.
    const recorded = readStereo(await readRecording(scene.server, callId))
    const [before = Number.NaN, after = Number.NaN] = [
      { query: speech.wish, fromMs: 1_500, toMs: 4_500 },
      { query: speech.question, fromMs: 31_000, toMs: 35_000 },
    ].map(({ query, fromMs, toMs }) => {
      const captured = locateAudio(query, pageRecording.microphone, { fromMs, toMs, stepMs: 5 })
      const part = sliceRecording(
        pageRecording.microphone,
        captured.atMs - 200,
        captured.atMs + getDurationMs(query) + 200,
      )
      const kept = locateAudio(part, recorded.caller, { fromMs: fromMs - 500, toMs: toMs + 500, stepMs: 5 })
      console.info(
        `${kind}: correlations ${kept.correlation.toFixed(3)} with what the page captured, ` +
          `${captured.correlation.toFixed(3)} of that with what was said`,
      )
      expect(captured.correlation).toBeGreaterThanOrEqual(0.95)
      // The samples differ only by the page recording's simpler filter. A gap of 20 to 40 ms would fail.
      expect(kept.correlation).toBeGreaterThanOrEqual(0.98)
      return kept.atMs + 200 - captured.atMs
    })
    console.info(`${kind}: the recording is ${before} ms beside the page before the gap, ${after} ms after it`)
    expect(Math.abs(after - before)).toBeLessThanOrEqual(40)
  })

  test('can be controlled over the API', async () => {
    await using scene = await openCallScene({ ...ANSWERS, nothing: '' })
    scene.model.defaultReply = (request) => ({
      text: JSON.stringify(request.body).includes('shop is closed') ? 'I just hear that the shop is closed.' : ANSWER,
    })
    const { callId, path } = await scene.makeCall()
    await using browser = await startCaller({ samples: new Int16Array(16_000), rateHz: 16_000 })
    const { page } = await browser.open(scene.server.url + path)
    await page.getByRole('button', { name: 'Start the call' }).click()
    await page.getByText('Listening', { exact: true }).waitFor()
    const control = (body: object) =>
      expectBody(200, send(scene.server, 'POST', `/api/v1/calls/${callId}/control`, body))
    await control({ say: { text: 'Somebody from our team is listening now.' } })
    await page.getByText('Somebody from our team is listening now.').waitFor()
    await control({ inject: { text: 'The shop is closed today.', respond: true } })
    await page.getByText('I just hear that the shop is closed.').waitFor()
    await page.getByLabel('Type instead of speaking').fill('Thank you')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Thank you').waitFor()
    await expectBody(200, send(scene.server, 'POST', `/api/v1/calls/${callId}/end`))
    await page.getByRole('heading', { name: 'Call ended' }).waitFor()
    await page.getByText('The other side ended the call').waitFor()
    const refused = await send(scene.server, 'POST', `/api/v1/calls/${callId}/control`, { say: { text: 'Too late' } })
    expect(refused.status).toBe(422)
    await expectEventually(
      async () => (await scene.server.call<{ call: object }>('GET', `/api/v1/calls/${callId}`)).body.call,
    ).toMatchObject({ status: 'ended', disconnectionReason: 'manual_stopped' })
    // An agent without a name has a default heading.
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('The agent')
    await page.reload()
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor()
  })

  test('ends after silence, and the browser can start another call', async () => {
    await using scene = await openCallScene(ANSWERS)
    const { callId, path } = await scene.makeCall(
      { end_call_after_silence_ms: 10_000, reminder_max_count: 0 },
      { begin_message: 'Hello, who is there?' },
    )
    await using browser = await startCaller({ samples: new Int16Array(16_000), rateHz: 16_000 })
    const { page } = await browser.open(scene.server.url + path)
    await page.getByRole('button', { name: 'Start the call' }).click()
    await page.getByText('Hello, who is there?').waitFor()
    await page.getByText('because of silence').waitFor()
    const events = (await readEvents(scene.server, callId)).map(({ data }) => data)
    expect(events.at(-1)).toMatchObject({ type: 'call-ended', reason: 'inactivity' })
    const next = await scene.makeCall({}, { begin_message: 'Hello again.' })
    await page.goto(scene.server.url + next.path)
    await page.getByRole('button', { name: 'Start the call' }).click()
    await page.getByText('Hello again.').waitFor()
  })
})
