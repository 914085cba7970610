import type { CallEvent } from '@parley/contract/call-event'
import { type CallClient, joinCall } from '../../testing/call-client.ts'
import { type ModelServer, startModelServer } from '../../testing/model-server/model-server.ts'
import { findLastUserText } from '../../testing/model-server/reply.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { createAgent, expectBody, send } from '../../testing/server-test.ts'
import type { SpeechReply } from '../../testing/speech-server/speech-reply.ts'
import { type SpeechServer, startSpeechServer } from '../../testing/speech-server/speech-server.ts'
import type { SpeechRequest, TranscriptionRequest } from '../../testing/speech-server/speech-wire.ts'
import type { Recording } from '../../testing/speech-server/wav-audio.ts'
import { createCall, readTranscript } from '../full/call-scene.ts'
import { eventually } from '../full/cluster.ts'
import { readEvents, synthesizeWithWordTimes } from '../full/web-call-scene.ts'

/** Spoken question and reply. None of their words occurs in the product's messages. */
export const QUESTIONS = ['When does the museum open on Sundays?', 'And where can I leave my bicycle?'] as const
export const ANSWERS = ['Sunday visitors come from ten until six.', 'Bicycles stand behind the orange gate.'] as const
/** Matches spoken words, keys and addresses, which must not appear in warnings and logs. */
export const SECRETS = /museum|sunday|visitor|until six|bicycle|behind|orange|gate|sk-|\*\*|127\.0\.0\.1/i

const KEYS = ['sk-workspace-0123456789abcdef', 'sk-operator-0123456789abcdef'] as const
const RATE_HZ = 16_000
const WRITE_TIMEOUT_MS = 10_000
/** A provider may hang for seconds before another one takes over. */
const ANSWER_TIMEOUT_MS = 25_000
/** Loudness per 10 ms that separates a tone from the gap between words. */
const TONE_LEVEL = 1_000

/** A provider whose faults depend on the request: the voice or the expected words. */
export interface FaultySpeechVendor {
  readonly server: SpeechServer
  /** Sets the response to requests for this name; null ends the fault. */
  setFault(name: string, reply: SpeechReply | null, times?: number): void
  /** Number of requests for this name so far. */
  count(name: string): number
}

/**
 * The real server with two providers of speech: the workspace's own under `openai`, the operator's under `speech`. Recognition
 * asks the workspace's first.
 */
export interface FaultScene extends AsyncDisposable {
  readonly server: RunningServer
  readonly workspaceVendor: FaultySpeechVendor
  readonly platformVendor: FaultySpeechVendor
  readonly questions: readonly Recording[]
  makeAgent(fields: object): Promise<string>
}

/** A caller of one agent and the outcome of the call. */
export interface FaultCall extends AsyncDisposable {
  readonly client: CallClient
  /** Asks this question and listens to the whole reply. */
  ask(question: 0 | 1): Promise<void>
  /** Hangs up and reads the remaining events of the call. */
  finish(): Promise<CallTraces>
}

export interface CallTraces {
  readonly record: readonly CallEvent[]
  /** Streamed events. */
  readonly streamed: readonly Readonly<Record<string, unknown>>[]
  /** Warnings about failed providers. */
  readonly warnings: readonly Extract<CallEvent, { type: 'warning' }>[]
  /** Server log lines about this call. */
  readonly logLines: readonly string[]
  /** Codes of the warnings that the caller saw. */
  readonly callerWarnings: readonly string[]
  /** Providers by purpose. */
  readonly vendorsUsed: Readonly<Record<'transcription' | 'synthesis', readonly string[]>>
}

function requestName(request: SpeechRequest | TranscriptionRequest): string {
  return String(request.kind === 'speech' ? request.body.voice : (request.fields.prompt ?? ''))
}

async function startFaultyVendor(apiKey: string, questions: readonly Recording[]): Promise<FaultySpeechVendor> {
  const faults = new Map<string, { readonly reply: SpeechReply; left: number }>()
  const server = await startSpeechServer({
    apiKey,
    replyTo: (request) => {
      const fault = faults.get(requestName(request))
      if (fault === undefined || fault.left === 0) return null
      fault.left -= 1
      return fault.reply
    },
  })
  for (const [index, recording] of questions.entries()) server.addRecording(recording, QUESTIONS[index] ?? '')
  return {
    server,
    setFault(name, reply, times = Number.POSITIVE_INFINITY) {
      if (reply === null) faults.delete(name)
      else faults.set(name, { reply, left: times })
    },
    count: (name) => server.requests.filter((request) => requestName(request) === name).length,
  }
}

/** Starts everything. `voices` belong to the operator's server. */
export async function openFaultScene(voices: readonly string[]): Promise<FaultScene> {
  await using stack = new AsyncDisposableStack()
  const questions = (await synthesizeWithWordTimes(QUESTIONS, 'rms')).map(({ recording }) => recording)
  const workspaceVendor = await startFaultyVendor(KEYS[0], questions)
  stack.use(workspaceVendor.server)
  const platformVendor = await startFaultyVendor(KEYS[1], questions)
  stack.use(platformVendor.server)
  const model: ModelServer = stack.use(await startModelServer())
  model.defaultReply = (request) => {
    const userText = findLastUserText(request)
    const answer = new Map<string, string>(QUESTIONS.map((question, index) => [question, ANSWERS[index] ?? '']))
    return { text: answer.get(userText) ?? `You wrote ${userText}.` }
  }
  const server = stack.use(
    await runServer({
      env: {
        ANTHROPIC_BASE_URL: model.url,
        ALLOW_PRIVATE_TARGETS: '127.0.0.1',
        SPEECH_BASE_URL: platformVendor.server.baseUrl,
        SPEECH_API_KEY: KEYS[1],
        SPEECH_MODEL: 'kokoro',
        SPEECH_VOICES: voices.join(','),
        TRANSCRIPTION_BASE_URL: platformVendor.server.baseUrl,
        TRANSCRIPTION_API_KEY: KEYS[1],
        TRANSCRIPTION_MODEL: 'whisper-1',
      },
    }),
  )
  const key = { service: 'openai', apiKey: KEYS[0], baseUrl: workspaceVendor.server.baseUrl }
  await expectBody(201, send(server, 'POST', '/api/provider-keys', key))
  const owned = stack.move()
  return {
    server,
    workspaceVendor,
    platformVendor,
    questions,
    async makeAgent(fields) {
      const settings = { interruption_sensitivity: 'low', responsiveness: 'fast', reminder_max_count: 0, ...fields }
      const llm = { model: 'anthropic/any', begin_message: '' }
      return (await createAgent(server, settings, llm)).agent_id
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Creates and joins a call with this agent. */
export async function callAgent({ server, questions }: FaultScene, agentId: string): Promise<FaultCall> {
  const { accessToken } = await createCall(server, agentId)
  const client = await joinCall(server.url, accessToken ?? '', { rateHz: RATE_HZ })
  return {
    client,
    async ask(question) {
      const from = client.messages.length
      const frames = client.frames.length
      await client.speak(questions[question]?.samples ?? new Int16Array(0))
      const limit = { from, timeoutMs: ANSWER_TIMEOUT_MS }
      await client.waitForMessage('caption', ({ role, final, text }) => role === 'agent' && final && text !== '', limit)
      if (!client.frames.slice(frames).some(({ samples }) => samples.some((sample) => Math.abs(sample) > TONE_LEVEL))) {
        throw new Error('The answer was not heard.')
      }
    },
    async finish() {
      await client.leave()
      return await readTraces(server, client)
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

async function readTraces(server: RunningServer, client: CallClient): Promise<CallTraces> {
  const { callId } = client
  const record = await eventually('the end of a call', WRITE_TIMEOUT_MS, async () => {
    const entries = await readTranscript(server, callId)
    return entries.at(-1)?.type === 'call-ended' ? entries : null
  })
  const vendorsUsed = (wanted: 'transcription' | 'synthesis'): string[] => [
    ...new Set(record.flatMap((entry) => (entry.type === 'usage' && entry.product === wanted ? [entry.model] : []))),
  ]
  return {
    record,
    streamed: (await readEvents(server, callId)).map(({ data }) => data),
    warnings: record.filter((entry) => entry.type === 'warning').filter(({ code }) => code.endsWith('-failed')),
    logLines: server.output.split('\n').filter((line) => line.includes(callId)),
    callerWarnings: client.messages.flatMap(({ message }) => (message.type === 'warning' ? [message.code] : [])),
    vendorsUsed: { transcription: vendorsUsed('transcription'), synthesis: vendorsUsed('synthesis') },
  }
}

/** Counts the words that the caller heard, each a tone. */
export function countTones({ frames, rateHz }: CallClient): number {
  const step = rateHz / 100
  const levels = frames.flatMap(({ samples }) =>
    Array.from({ length: Math.floor(samples.length / step) }, (_, index) =>
      samples.subarray(index * step, (index + 1) * step).reduce((max, one) => Math.max(max, Math.abs(one)), 0),
    ),
  )
  return levels.filter((level, index) => level > TONE_LEVEL && (levels[index - 1] ?? 0) <= TONE_LEVEL).length
}
