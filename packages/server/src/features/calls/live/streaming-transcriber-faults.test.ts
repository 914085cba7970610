import { createScriptedModel, replyWith } from '@parley/engine/testing'
import { expect, test } from 'vitest'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import {
  RATE_HZ,
  type Reachability,
  type StreamingProvider,
  startStreamingCall,
  startStreamingVendors,
  type VendorConnection,
} from './streaming-call-test-kit.ts'

/** Every word has another length, by which the vendors recognize its tone. */
const QUESTION = 'is the shop still opened tonight'
const LONG_QUESTION = `is the shop where people usually purchase furniture appliances accessories refrigerator entertainment \
transportation notwithstanding responsibilities counterproductive telecommunications interdisciplinarity`
const WORD_MS = 350
const GAP_MS = 100
/** In the middle of the third word. */
const FAULT_MS = 2 * WORD_MS + 100
/** Promised time from the end of speech to the answer, by whether the transcriber has to be missed first. */
const MAX_ANSWER_MS = 500
const MAX_MISSED_ANSWER_MS = 4_500

interface TestedTranscriber {
  readonly name: string
  readonly provider: StreamingProvider
  readonly language: string
  readonly model: string
}

const NOVA: TestedTranscriber = {
  name: 'Deepgram Nova',
  provider: 'deepgram',
  // English selects Flux.
  language: 'de-DE',
  model: 'deepgram/nova-3',
}
const FLUX: TestedTranscriber = {
  name: 'Deepgram Flux',
  provider: 'deepgram',
  language: 'en-US',
  model: 'deepgram/flux-general-en',
}
const SCRIBE: TestedTranscriber = {
  name: 'ElevenLabs Scribe',
  provider: 'elevenlabs',
  language: 'en-US',
  model: 'elevenlabs/scribe_v2_realtime',
}

interface Fault {
  readonly name: string
  readonly strike: (connection: VendorConnection) => void
  /** What happens to further connections. If they cannot be used, the next vendor takes over. */
  readonly reachability: Reachability
  readonly maxAnswerMs: number
}

const FAULTS: readonly Fault[] = [
  { name: 'breaks', strike: ({ drop }) => drop(), reachability: 'reachable', maxAnswerMs: MAX_ANSWER_MS },
  {
    name: 'breaks and refuses connections',
    strike: ({ drop }) => drop(),
    reachability: 'refused',
    maxAnswerMs: MAX_ANSWER_MS,
  },
  {
    name: 'breaks and cannot be reached',
    strike: ({ drop }) => drop(),
    reachability: 'silent',
    maxAnswerMs: MAX_ANSWER_MS,
  },
  {
    name: 'breaks and stays silent',
    strike: ({ drop }) => drop(),
    reachability: 'mute',
    maxAnswerMs: MAX_MISSED_ANSWER_MS,
  },
  { name: 'closes', strike: ({ close }) => close(1011), reachability: 'reachable', maxAnswerMs: MAX_ANSWER_MS },
  {
    name: 'sends garbage',
    strike: ({ send }) => send('}garbage{'),
    reachability: 'reachable',
    maxAnswerMs: MAX_ANSWER_MS,
  },
  { name: 'falls silent', strike: ({ mute }) => mute(), reachability: 'reachable', maxAnswerMs: MAX_MISSED_ANSWER_MS },
  {
    name: 'falls silent and refuses connections',
    strike: ({ mute }) => mute(),
    reachability: 'refused',
    maxAnswerMs: MAX_MISSED_ANSWER_MS,
  },
  {
    name: 'falls silent and cannot be reached',
    strike: ({ mute }) => mute(),
    reachability: 'silent',
    maxAnswerMs: MAX_MISSED_ANSWER_MS,
  },
  {
    name: 'falls silent and stays silent',
    strike: ({ mute }) => mute(),
    reachability: 'mute',
    maxAnswerMs: MAX_MISSED_ANSWER_MS,
  },
]

/** Asks a question during which the transcriber fails, and returns the time from its end to the answer. */
async function runCall({ provider, language, model: name }: TestedTranscriber, fault: Fault, question: string) {
  await using vendors = await startStreamingVendors(question)
  const model = createScriptedModel([replyWith('Yes, until nine.')])
  await using call = await startStreamingCall(vendors, {
    model: model.model,
    voices: [{ provider: 'cartesia', vendorVoice: 'katie' }],
    transcriber: { provider, language },
  })
  await call.run(1_000)
  const endMs = call.getElapsedMs() + question.split(' ').length * WORD_MS - GAP_MS
  call.playCallerAudio(synthesizeTones(question, RATE_HZ))
  await call.run(FAULT_MS)
  vendors.setReachability(provider, fault.reachability)
  for (const connection of vendors.listOpenConnections(provider)) fault.strike(connection)
  await call.runUntil(() => call.getLoudness().some((level) => level > 400), 20_000)
  const answerMs = call.getElapsedMs() - endMs
  await call.run(2_000)
  // The model received the turn once.
  model.assertConsumed()
  expect(model.requests).toHaveLength(1)
  expect(call.listEntries('user-message').map(({ content }) => content)).toEqual([question])
  const failures = call.listEntries('warning').filter(({ code }) => code === 'recogniser-failed')
  expect(failures.map(({ message }) => message.split(' ')[0])).toEqual(fault.reachability === 'reachable' ? [] : [name])
  expect(call.listEntries('warning').map(({ code }) => code)).not.toContain('text-without-voice')
  expect(call.faults).toEqual([])
  return answerMs
}

test.for([NOVA, FLUX, SCRIBE].flatMap((transcriber) => FAULTS.map((fault) => ({ transcriber, fault }))))(
  '$transcriber.name $fault.name while the caller speaks: the answer knows all words',
  async ({ transcriber, fault }) => {
    const answerMs = await runCall(transcriber, fault, QUESTION)
    expect(answerMs).toBeLessThanOrEqual(fault.maxAnswerMs)
  },
)

test.for([NOVA, FLUX])(
  '$name falls silent during a long speech: the turn does not end with the words before',
  async (transcriber) => {
    const fault: Fault = {
      name: '',
      strike: ({ mute }) => mute(),
      reachability: 'reachable',
      maxAnswerMs: MAX_ANSWER_MS,
    }
    const answerMs = await runCall(transcriber, fault, LONG_QUESTION)
    expect(answerMs).toBeLessThanOrEqual(MAX_ANSWER_MS)
  },
)
