import type { Clock } from '@parley/engine/ports'
import { createManualClock, createScriptedModel, replyWith } from '@parley/engine/testing'
import type { SpeechEvent, Synthesizer, TimedWord } from '@parley/engine/voice/ports'
import { createFliteSynthesizer } from '../../../integrations/speech/flite/flite-synthesizer.ts'
import { failOnError } from '../../../integrations/speech/speech-test-kit.ts'
import { type RecordedAudioCall, startRecordedAudioCall } from './recorded-audio-call-test-kit.ts'

/** Responses of various lengths. They contain only words that are spoken as written. */
const ANSWERS = [
  'Of course I can help you with that. The next train to the coast leaves at half past seven from platform twelve, so please be there a little earlier than usual.',
  'Sure. We are open every day except on Sunday, and in the summer we stay open until late in the evening because most of our guests like to sit outside.',
  'I am afraid the doctor is away this week. Her colleague could see you on Thursday morning or on Friday after lunch, whichever you prefer.',
  'Your order left our warehouse yesterday, and it should reach you tomorrow before noon. If nobody is at home the driver will leave it with a neighbour.',
  'Let me explain how that works, step by step. First you open the lid and take out the old filter, then you rinse the basket under warm water, and finally you put the new filter in and close everything again.',
  'Yes, we do. Would you like a table by the window, or would you rather sit in the garden where it is quiet?',
  'That is a good question, and the honest answer is that it depends on how many people will come, what they would like to eat, and whether you want us to bring the music as well.',
  'Thank you for waiting. I have found your booking, everything is confirmed, and you do not have to do anything else until the day of your departure.',
] as const

const RATE_HZ = 16_000
const VOICES = ['slt', 'rms', 'kal'] as const

interface Rendering {
  readonly samples: Int16Array
  readonly words: readonly TimedWord[]
}

/** When and how a call is interrupted. */
interface InterruptionCase {
  readonly answer: number
  readonly voice: number
  /** Delay after the first audio of the response. */
  readonly afterMs: number
  readonly trigger: 'typed' | 'spoken' | 'hang-up'
  /** How many times faster than playback the audio arrives. */
  readonly pace: number
  readonly delayMs: number
  readonly withWords: boolean
  /** Whether the agent has spoken before. */
  readonly isOpened: boolean
}

/** Draws an interruption. The same random numbers produce the same interruption. */
export function drawInterruption(random: () => number): Omit<InterruptionCase, 'withWords'> {
  const drawInteger = (max: number): number => Math.floor(random() * max)
  return {
    answer: drawInteger(ANSWERS.length),
    voice: drawInteger(VOICES.length),
    afterMs: 100 + drawInteger(7_000),
    trigger: (['typed', 'spoken', 'hang-up'] as const)[drawInteger(3)] ?? 'typed',
    pace: [1.05, 1.5, 3, 8][drawInteger(4)] ?? 3,
    delayMs: 50 + drawInteger(300),
    isOpened: drawInteger(3) > 0,
  }
}

/** Word counts after an interruption. */
interface InterruptionOutcome {
  readonly remembered: number
  /** Words that the caller heard. The client reports playback every 100 ms, so the last words may be unacknowledged. */
  readonly heard: number
  readonly acknowledged: number
  /** Difference from the expected number. 0 means any number between acknowledged and heard. */
  readonly difference: number
  readonly content: string
}

/** Interrupts calls in the middle of a response spoken by a real voice. */
interface InterruptionRuns extends AsyncDisposable {
  run(cut: InterruptionCase): Promise<InterruptionOutcome>
}

/** Opens interruption runs. `clock` provides real time for the synthesizer threads. */
export function openInterruptionRuns(clock: Clock): InterruptionRuns {
  const flite = createFliteSynthesizer({ clock, logError: failOnError })
  const renderings = new Map<string, Promise<Rendering>>()
  const render = (text: string, voice: string): Promise<Rendering> => {
    const name = `${voice} ${text}`
    const rendering = renderings.get(name) ?? renderSpeech(flite, text, voice)
    renderings.set(name, rendering)
    return rendering
  }
  return {
    run: (interruption) => runInterruption(interruption, render),
    [Symbol.asyncDispose]: () => flite.close(),
  }
}

async function renderSpeech(flite: Synthesizer, text: string, voice: string): Promise<Rendering> {
  const chunks: Int16Array[] = []
  const words: TimedWord[] = []
  const { signal } = new AbortController()
  const request = { text, voice, model: null, language: 'en-US', rateHz: RATE_HZ, speed: 1, temperature: 1 } as const
  for await (const event of flite.synthesize({ ...request, emotion: null, signal })) {
    if (event.type === 'audio') chunks.push(event.samples)
    if (event.type === 'words') words.push(...event.words)
    if (event.type === 'failed') throw new Error(event.failure.message)
  }
  const samples = new Int16Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) {
    samples.set(chunk, offset)
    offset += chunk.length
  }
  return { samples, words }
}

async function runInterruption(
  interruption: InterruptionCase,
  render: (text: string, voice: string) => Promise<Rendering>,
): Promise<InterruptionOutcome> {
  const time = createManualClock()
  const answer = ANSWERS[interruption.answer % ANSWERS.length] ?? ''
  const voice = VOICES[interruption.voice % VOICES.length] ?? 'slt'
  const startedRenderings: Rendering[] = []
  const pending = new Set<Promise<unknown>>()
  const synthesizer: Synthesizer = {
    name: 'replayed/flite',
    synthesize: ({ text, signal }) => {
      const pendingRendering = render(text, voice)
      pending.add(pendingRendering)
      void pendingRendering.then(() => pending.delete(pendingRendering))
      return replaySpeech(pendingRendering, {
        interruption,
        signal,
        clock: time.clock,
        onStarted: (rendering) => startedRenderings.push(rendering),
      })
    },
  }
  const call = await startRecordedAudioCall({
    time,
    rateHz: RATE_HZ,
    opening: interruption.isOpened ? { type: 'say', text: 'Good morning, how can I help you?' } : { type: 'listen' },
    model: createScriptedModel([replyWith(answer), replyWith('Sure.'), replyWith('Sure.')]).model,
    voices: [{ synthesizer, voice, model: null }],
    // The threads need real time to synthesize. The call's virtual time pauses.
    onStep: async () => {
      while (pending.size > 0) await Promise.race(pending)
    },
  })
  const openingCount = interruption.isOpened ? 1 : 0
  await call.runUntil(() => call.listEntries('agent-message').length === openingCount)
  call.caller.sendText('what about it')
  const framesBefore = call.getLoudness().length
  await call.runUntil(() =>
    call
      .getLoudness()
      .slice(framesBefore)
      .some((level) => level > 200),
  )
  await call.run(interruption.afterMs)
  await interrupt(call, interruption.trigger)
  await call.run(400)
  if (call.faults.length > 0) throw call.faults[0]
  const content = call
    .listEntries('agent-message')
    .slice(0, openingCount + 1)
    .map((message) => message.content)
    .join(' ')
  const remembered = countWords(content)
  call.session.end('manual_stopped', false)
  await call.run(20)
  const heard = countHeard(call.getHeardSamples(), startedRenderings, 0)
  const acknowledged = countHeard(call.getHeardSamples(), startedRenderings, REPORT_SAMPLES)
  const difference = remembered > heard ? remembered - heard : Math.min(0, remembered - acknowledged)
  return { remembered, heard, acknowledged, difference, content }
}

async function interrupt(call: RecordedAudioCall, trigger: InterruptionCase['trigger']): Promise<void> {
  if (trigger === 'typed') call.caller.sendText('stop that please')
  else if (trigger === 'hang-up') call.caller.hangUp()
  else {
    call.playCallerAudio(new Int16Array(RATE_HZ).fill(8_000))
    await call.run(250)
    call.caller.sendRecognized({ type: 'interim', utteranceId: 'one', text: 'no that is not it', stable: false })
  }
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

/** Counts the words that the caller heard completely, according to the voice's timing. */
function countHeard(heard: Int16Array, spoken: readonly Rendering[], unreportedSamples: number): number {
  let offset = 0
  let count = 0
  for (const { samples, words } of spoken) {
    const start = findAudio(heard, samples, offset)
    if (start === null) break
    const playedSamples = countPlayedSamples(heard, samples, start)
    const isCut = playedSamples < samples.length
    const reportedSamples = playedSamples - (isCut ? unreportedSamples : 0)
    count += words.filter(({ endMs }) => (endMs * RATE_HZ) / 1_000 <= reportedSamples).length
    if (isCut) break
    offset = start + samples.length
  }
  return count
}

const PROBE_SAMPLES = 64
const REPORT_SAMPLES = RATE_HZ / 10
const FRAME_SAMPLES = RATE_HZ / 50

/** Finds the position at or after `from` at which the audio starts to play. */
function findAudio(heard: Int16Array, samples: Int16Array, from: number): number | null {
  const first = samples.findIndex((sample) => Math.abs(sample) > 200)
  if (first < 0) return null
  for (let offset = from; offset + first + PROBE_SAMPLES <= heard.length; offset += 1) {
    let matches = 0
    while (matches < PROBE_SAMPLES && heard[offset + first + matches] === samples[first + matches]) matches += 1
    if (matches === PROBE_SAMPLES) return offset
  }
  return null
}

/** Returns how many samples of the audio played. Whole silent frames within the audio count as late frames. */
function countPlayedSamples(heard: Int16Array, samples: Int16Array, start: number): number {
  let length = 0
  let offset = start
  while (length < samples.length && offset < heard.length) {
    const isLate =
      offset % FRAME_SAMPLES === 0 &&
      isSilent(heard.subarray(offset, offset + FRAME_SAMPLES)) &&
      !isSilent(samples.subarray(length, length + FRAME_SAMPLES))
    if (isLate) offset += FRAME_SAMPLES
    else if (heard[offset] !== samples[length]) break
    else {
      length += 1
      offset += 1
    }
  }
  return length
}

function isSilent(samples: Int16Array): boolean {
  return samples.every((sample) => sample === 0)
}

async function* replaySpeech(
  pendingRendering: Promise<Rendering>,
  options: {
    readonly interruption: InterruptionCase
    readonly signal: AbortSignal
    readonly clock: Clock
    readonly onStarted: (rendering: Rendering) => void
  },
): AsyncGenerator<SpeechEvent> {
  const { interruption, signal, clock, onStarted } = options
  const rendering = await pendingRendering
  onStarted(rendering)
  await wait(clock, interruption.delayMs)
  const { samples, words } = rendering
  const chunkSamples = Math.round(RATE_HZ * 0.1)
  if (interruption.withWords) yield { type: 'words', words }
  for (let offset = 0; offset < samples.length && !signal.aborted; offset += chunkSamples) {
    yield { type: 'audio', samples: samples.slice(offset, offset + chunkSamples) }
    await wait(clock, 100 / interruption.pace)
  }
  if (!signal.aborted) yield { type: 'end' }
}

function wait(clock: Clock, durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(durationMs, resolve)
  })
}
