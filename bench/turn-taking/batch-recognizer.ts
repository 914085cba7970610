import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { correlateEnvelopes } from '../../testing/speech-server/envelope.ts'
import { readTranscriptForm } from '../../testing/speech-server/speech-wire.ts'
import type { Recording } from '../../testing/speech-server/wav-audio.ts'
import { CLIP_RATE_HZ } from '../harness/clip-audio.ts'
import type { CallerEvent } from './scenario.ts'

/** A batch recognizer on the loopback interface that speaks OpenAI's wire format and knows what the callers say. */
export interface BatchRecognizer extends AsyncDisposable {
  /** Base URL ending in `/v1`. */
  readonly url: string
  /** Registers speech that a caller is about to say. */
  expectSpeech(event: CallerEvent): void
}

/** Response time of a fast batch recognizer. */
const RESPONSE_MS = 350
/** Minimum similarity of a recording and a known utterance. */
const MIN_CORRELATION = 0.75
/** Calls end within this time. A caller's speech is forgotten afterwards. */
const EXPECTED_MS = 40_000

interface ExpectedSpeech {
  readonly recording: Recording
  readonly text: string
  readonly untilMs: number
}

export async function startBatchRecognizer(): Promise<BatchRecognizer> {
  let expected: ExpectedSpeech[] = []

  function recognize(recording: Recording): string {
    expected = expected.filter(({ untilMs }) => untilMs > performance.now())
    const matches = expected.map(({ recording: known, text }) => ({
      text,
      similarity: correlateEnvelopes(known, recording),
    }))
    const [best] = matches.sort((left, right) => right.similarity - left.similarity)
    return best !== undefined && best.similarity >= MIN_CORRELATION ? best.text : ''
  }

  async function respond(contentType: string, body: Buffer, response: ServerResponse): Promise<void> {
    const form = readTranscriptForm(contentType, body)
    if (typeof form === 'string') {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: form, type: 'invalid_request_error' } }))
      return
    }
    const startedAt = performance.now()
    const text = recognize(form.recording)
    await delay(Math.max(0, RESPONSE_MS - (performance.now() - startedAt)))
    const isStreamed = form.fields.stream === 'true'
    response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' })
    response.end(
      isStreamed ? `data: ${JSON.stringify({ type: 'transcript.text.done', text })}\n\n` : JSON.stringify({ text }),
    )
  }

  const server = createServer((incoming, response) => {
    const { headers } = incoming
    Array.fromAsync(incoming as AsyncIterable<Buffer>)
      .then((chunks) => respond(headers['content-type'] ?? '', Buffer.concat(chunks), response))
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    expectSpeech({ samples, utterances }) {
      for (const { words, endMs } of utterances) {
        const [first] = words
        const from = (((first?.startMs ?? 0) * CLIP_RATE_HZ) / 1_000) | 0
        const clip = samples.subarray(from, Math.ceil((endMs * CLIP_RATE_HZ) / 1_000))
        expected.push({
          recording: { samples: clip, rateHz: CLIP_RATE_HZ },
          text: words.map(({ text }) => text).join(' '),
          untilMs: performance.now() + EXPECTED_MS,
        })
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
