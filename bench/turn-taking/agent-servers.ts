import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { startModelServer } from '../../testing/model-server/model-server.ts'
import { listSteps } from '../../testing/model-server/rendering.ts'
import { findLastUserText, isRecord, type Step } from '../../testing/model-server/reply.ts'
import { toPcm } from '../../testing/speech-server/wav-audio.ts'
import { CLIP_RATE_HZ } from '../harness/clip-audio.ts'
import { openVoiceRenderer } from '../harness/voice-renderer.ts'

/** The agent's language model and voice: real servers on the loopback interface with the delays of good vendors. */

const FIRST_TOKEN_MS = 300
const PER_WORD_MS = 8
const FIRST_AUDIO_MS = 100
/** A voice that no caller has. */
const AGENT_RENDERED_VOICE = 'flite:kal'
/** Name of the voice on the agent's speech server. */
export const AGENT_VOICE = 'agent'

/** About 14 to 20 seconds of speech each. */
const LONG_ANSWERS = [
  'First you open the lid and take out the old filter, then you rinse the basket under warm water for a minute. After that you put the new filter in, close everything again and press the green button until the light turns on. The machine then cleans itself, which takes about ten minutes, and it tells you when it is ready.',
  'We are open every day from nine in the morning until late in the evening, and in the summer the garden is open as well. Most of our guests come by train because the station is just around the corner, but there is also a large car park behind the house. On the weekend you should book a table a few days in advance.',
  'The package leaves our warehouse in the evening and travels to the nearest center during the night. On the next morning a driver takes it along and rings at your door before noon. If nobody is at home the driver leaves a card with a number, and you can choose another day or pick up the package at the post office.',
  'The course starts in the first week of the month and has twelve lessons of two hours each. You learn how to prepare the clay, how to shape it on the wheel and how to glaze it. At the end everybody takes at least three pieces home, and the fee covers the material, the tools and the use of the oven.',
]
const SHORT_ANSWERS = [
  'We are open from nine to five. Is there anything else I can do for you?',
  'That is possible. I have made a note of it.',
  'Yes, of course. Which day would you prefer?',
  'I will check that for you and send you a message.',
]

export interface AgentServers extends AsyncDisposable {
  readonly modelUrl: string
  /** Base URL of the speech server, ending in `/v1`. */
  readonly speechUrl: string
}

export async function startAgentServers(): Promise<AgentServers> {
  await using starting = new AsyncDisposableStack()
  const model = starting.use(await startModelServer({ keepRequests: false }))
  let answers = 0
  model.defaultReply = (request) => {
    answers += 1
    const isLong = findLastUserText(request).toLowerCase().includes('how that works')
    const texts = isLong ? LONG_ANSWERS : SHORT_ANSWERS
    const text = texts[answers % texts.length] ?? ''
    return { steps: delaySteps(listSteps(request.wire, { text, delayPerWordMs: PER_WORD_MS }, request.body)) }
  }
  const voice = starting.use(await startVoiceServer())
  const resources = starting.move()
  return {
    modelUrl: model.url,
    speechUrl: `${voice.url}/v1`,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function* delaySteps(steps: Iterable<Step>): Generator<Step> {
  let isFirst = true
  for (const step of steps) {
    yield step
    if (isFirst) yield { kind: 'wait', delayMs: FIRST_TOKEN_MS }
    isFirst = false
  }
}

async function startVoiceServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const voices = await openVoiceRenderer()
  const recordings = new Map<string, Promise<Buffer>>()

  const renderPcm = async (text: string): Promise<Buffer> => toPcm(await voices.render(text, AGENT_RENDERED_VOICE))

  async function speak(incoming: IncomingMessage): Promise<Buffer> {
    const body: unknown = JSON.parse(Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>)).toString())
    const text = isRecord(body) ? String(body.input) : ''
    const recording = recordings.get(text) ?? renderPcm(text)
    recordings.set(text, recording)
    const [pcm] = await Promise.all([recording, delay(FIRST_AUDIO_MS)])
    return pcm
  }

  const server = createServer((incoming, response) => {
    speak(incoming).then(
      (pcm) => {
        response.writeHead(200, { 'content-type': `audio/pcm;rate=${CLIP_RATE_HZ}` })
        response.end(pcm)
      },
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await voices[Symbol.asyncDispose]()
    },
  }
}
