import type { TimedWord } from '@parley/engine/voice/ports'
import { createFliteSynthesizer } from '../../packages/server/src/integrations/speech/flite/flite-synthesizer.ts'
import {
  buildSpeechRequest,
  collectSpeech,
  failOnError,
} from '../../packages/server/src/integrations/speech/speech-test-kit.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import type { StreamedEvent } from '../../testing/api-client.ts'
import { startChromium, type TestBrowser } from '../../testing/browser/chromium.ts'
import { recordPages } from '../../testing/browser/page-recording.ts'
import { type ModelServer, startModelServer } from '../../testing/model-server/model-server.ts'
import { findLastUserText } from '../../testing/model-server/reply.ts'
import { OWNER_TOKEN, runServer, type ServerClient } from '../../testing/running-server.ts'
import { createAgent, expectBody, send } from '../../testing/server-test.ts'
import { type SpeechServer, startSpeechServer } from '../../testing/speech-server/speech-server.ts'
import { type Recording, writeWav } from '../../testing/speech-server/wav-audio.ts'

const RATE_HZ = 16_000

/** Synthesizes texts in a built-in voice, as caller audio. */
export async function synthesizeTexts<Name extends string>(
  texts: Readonly<Record<Name, string>>,
): Promise<Record<Name, Recording>> {
  const names = Object.keys(texts) as Name[]
  const spoken = await synthesizeWithWordTimes(
    names.map((name) => texts[name]),
    'rms',
  )
  return Object.fromEntries(names.map((name, index) => [name, spoken[index]?.recording])) as Record<Name, Recording>
}

/** Synthesizes texts in a built-in voice and returns the times of the words. */
export async function synthesizeWithWordTimes(
  texts: readonly string[],
  voice: string,
): Promise<{ readonly recording: Recording; readonly words: readonly TimedWord[] }[]> {
  const synthesizer = createFliteSynthesizer({ clock: systemClock, logError: failOnError, threads: 1 })
  try {
    const spoken = texts.map(async (text) => {
      const { samples, words } = await collectSpeech(
        synthesizer.synthesize(buildSpeechRequest(text, { voice, rateHz: RATE_HZ })),
      )
      return { recording: { samples, rateHz: RATE_HZ }, words }
    })
    return await Promise.all(spoken)
  } finally {
    await synthesizer.close()
  }
}

/** Creates microphone audio with speech at the given times and silence in between. */
export function createMicrophoneAudio(
  utterances: readonly { readonly atMs: number; readonly speech: Recording }[],
): Recording {
  const end = Math.max(...utterances.map(({ atMs, speech }) => toSampleCount(atMs) + speech.samples.length))
  const samples = new Int16Array(end + RATE_HZ)
  for (const { atMs, speech } of utterances) samples.set(speech.samples, toSampleCount(atMs))
  return { samples, rateHz: RATE_HZ }
}

function toSampleCount(durationMs: number): number {
  return Math.round((durationMs * RATE_HZ) / 1_000)
}

/** A server with a scripted speech recognizer and model. */
export interface CallScene extends AsyncDisposable {
  readonly server: ServerClient
  readonly speechServer: SpeechServer
  readonly model: ModelServer
  /** Creates an agent and a web call to it. */
  makeCall(
    agent?: object,
    llm?: object,
  ): Promise<{ readonly callId: string; readonly accessToken: string; readonly path: string }>
}

export async function openCallScene(answers: Readonly<Record<string, string>>): Promise<CallScene> {
  const speechServer = await startSpeechServer()
  const model = await startModelServer()
  model.defaultReply = (request) => ({ text: answers[findLastUserText(request)] ?? 'I did not get that.' })
  const server = await runServer({
    env: {
      OPENAI_BASE_URL: `${model.url}/v1`,
      TRANSCRIPTION_BASE_URL: speechServer.baseUrl,
      TRANSCRIPTION_MODEL: 'whisper-1',
      ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    },
  })
  return {
    server,
    speechServer,
    model,
    async makeCall(agent = {}, llm = {}) {
      const { agent_id } = await createAgent(
        server,
        { interruption_sensitivity: 'high', responsiveness: 'fast', ...agent },
        { model: 'openai/any', begin_message: '', ...llm },
      )
      const body = await expectBody(
        201,
        send<{ call: { callId: string; accessToken: string; webCallUrl: string } }>(
          server,
          'POST',
          '/api/v1/calls/web',
          {
            agentId: agent_id,
          },
        ),
      )
      const { callId, accessToken, webCallUrl } = body.call
      const { pathname, hash } = new URL(webCallUrl)
      return { callId, accessToken, path: pathname + hash }
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await model.close()
      await speechServer.close()
    },
  }
}

/** A browser that records its pages and receives this audio as microphone input, unprocessed unless `cleanUp`. */
export async function startCaller(microphone: Recording, { cleanUp = false } = {}): Promise<TestBrowser> {
  const browser = await startChromium({
    microphone: writeWav(microphone),
    cleanUp,
    context: { bypassCSP: true },
  })
  await recordPages(browser.context)
  return browser
}

/** Reads the events of a call until it ends. */
export async function readEvents(server: ServerClient, callId: string): Promise<StreamedEvent[]> {
  const { events } = await server.stream('GET', `/api/v1/calls/${callId}/events`)
  return await Array.fromAsync(events)
}

/** Reads a two-channel WAV file. */
export function readStereo(wav: Buffer): { readonly caller: Recording; readonly agent: Recording } {
  const channels = wav.readUInt16LE(22)
  const rateHz = wav.readUInt32LE(24)
  const dataAt = wav.indexOf('data') + 8
  if (channels !== 2) throw new Error(`The recording has ${channels} channels.`)
  const count = Math.floor((wav.length - dataAt) / 4)
  const [caller, agent] = [new Int16Array(count), new Int16Array(count)]
  for (let index = 0; index < count; index += 1) {
    caller[index] = wav.readInt16LE(dataAt + index * 4)
    agent[index] = wav.readInt16LE(dataAt + index * 4 + 2)
  }
  return { caller: { samples: caller, rateHz }, agent: { samples: agent, rateHz } }
}

/** Mixes two recordings of equal length. */
export function mix(one: Recording, other: Recording): Recording {
  const { rateHz } = one
  const samples = one.samples.map((sample, index) =>
    Math.max(-32_768, Math.min(32_767, sample + (other.samples[index] ?? 0))),
  )
  return { samples, rateHz }
}

/** Joins frames of the live channel into one recording by their start samples. */
export function toRecording(
  frames: readonly { readonly startSample: number; readonly samples: Int16Array }[],
  rateHz: number,
): Recording {
  const start = frames[0]?.startSample ?? 0
  const last = frames.at(-1)
  const samples = new Int16Array(last === undefined ? 0 : last.startSample - start + last.samples.length)
  for (const frame of frames) samples.set(frame.samples, frame.startSample - start)
  return { samples, rateHz }
}

/** Downloads the recording of an ended call in ranges, as players do. */
export async function readRecording(server: ServerClient, callId: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  const size = 500_000
  for (let from = 0; ; from += size) {
    const response = await fetch(`${server.url}/api/v1/calls/${callId}/recording`, {
      headers: { authorization: `Bearer ${OWNER_TOKEN}`, range: `bytes=${from}-${from + size - 1}` },
      signal: AbortSignal.timeout(15_000),
    })
    if (response.status !== 206) throw new Error(`A range of the recording was answered with ${response.status}.`)
    chunks.push(Buffer.from(await response.arrayBuffer()))
    const total = Number(response.headers.get('content-range')?.split('/')[1])
    if (from + size >= total) return Buffer.concat(chunks)
  }
}
