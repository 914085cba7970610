import type { VendorConnection } from './vendor-connection.ts'

type JsonFields = Readonly<Record<string, unknown>>

/** The server's reply to one commit. */
export type ScribeReply =
  /** Transcribes the recording. */
  | {
      readonly kind: 'transcript'
      readonly text?: string
      /** Order of the message with timestamps relative to the message without. `alone` omits the latter. */
      readonly timestamps?: 'after' | 'before' | 'alone' | 'none'
      /** Whether times count from the start of the session or of the committed segment. */
      readonly timesFrom?: 'session' | 'segment'
    }
  | { readonly kind: 'messages'; readonly messages: readonly JsonFields[] }
  /** Sends nothing. */
  | { readonly kind: 'silence' }
  /** Breaks the connection. */
  | { readonly kind: 'drop' }

export interface ScribeProtocolOptions {
  readonly startsSession: boolean
  readonly recognize: (samples: Int16Array) => string
  readonly sendsInterims: boolean
  readonly nextReply: () => ScribeReply
}

/** Minimum duration of new audio in a commit. */
const MIN_COMMIT_SECONDS = 0.3

/** Serves one Scribe session with manual commits. Returns its message handler. */
export function serveScribe(
  connection: VendorConnection,
  { startsSession, recognize, sendsInterims, nextReply }: ScribeProtocolOptions,
): (message: JsonFields) => void {
  const rateHz = Number(/^pcm_(\d+)$/.exec(connection.query.get('audio_format') ?? '')?.[1])
  let segment: Int16Array[] = []
  let segmentStartSamples = 0
  let sampleCount = 0
  if (startsSession) connection.sendJson({ message_type: 'session_started', session_id: 's1', config: {} })

  const sendTranscript = (reply: ScribeReply & { kind: 'transcript' }): void => {
    const samples = concatenate(segment)
    const text = reply.text ?? recognize(samples)
    const offsetSamples = reply.timesFrom === 'segment' ? 0 : segmentStartSamples
    const { timestamps = 'after' } = reply
    const plain = { message_type: 'committed_transcript', text }
    const timed = {
      message_type: 'committed_transcript_with_timestamps',
      text,
      words: timeWords(text, samples, { rateHz, offsetSamples }),
    }
    if (timestamps === 'before' || timestamps === 'alone') connection.sendJson(timed)
    if (timestamps !== 'alone') connection.sendJson(plain)
    if (timestamps === 'after') connection.sendJson(timed)
  }

  let lastInterim = ''
  const sendInterim = (): void => {
    const text = recognize(concatenate(segment))
    if (text === '' || text === lastInterim) return
    lastInterim = text
    connection.sendJson({ message_type: 'partial_transcript', text })
  }

  const commit = (): void => {
    const segmentSamples = sampleCount - segmentStartSamples
    if (segmentSamples < MIN_COMMIT_SECONDS * rateHz) {
      connection.sendJson({ message_type: 'commit_throttled', error: 'Commits are too frequent.' })
      return
    }
    const reply = nextReply()
    if (reply.kind === 'drop') {
      connection.drop()
      return
    }
    if (reply.kind === 'messages') for (const message of reply.messages) connection.sendJson(message)
    if (reply.kind === 'transcript') sendTranscript(reply)
    // A rejected commit leaves the segment open.
    if (reply.kind === 'messages' && reply.messages.some(({ message_type: type }) => type === 'commit_throttled'))
      return
    segmentStartSamples = sampleCount
    segment = []
  }

  return (message) => {
    const { audio_base_64: audio, sample_rate: sentRateHz, commit: isCommit } = message
    if (message.message_type !== 'input_audio_chunk' || sentRateHz !== rateHz || typeof audio !== 'string') {
      connection.sendJson({ message_type: 'invalid_request', error: 'The chunk is invalid.' })
      return
    }
    const bytes = Buffer.from(audio, 'base64')
    const samples = new Int16Array(bytes.length >> 1)
    for (let index = 0; index < samples.length; index += 1) samples[index] = bytes.readInt16LE(index * 2)
    segment.push(samples)
    sampleCount += samples.length
    if (isCommit === true) commit()
    else if (sendsInterims) sendInterim()
  }
}

function concatenate(chunks: readonly Int16Array[]): Int16Array {
  const samples = new Int16Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) {
    samples.set(chunk, offset)
    offset += chunk.length
  }
  return samples
}

/** Spreads words over the audible part of a recording, with spacing items between them. */
function timeWords(
  text: string,
  samples: Int16Array,
  { rateHz, offsetSamples }: { readonly rateHz: number; readonly offsetSamples: number },
): JsonFields[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const first = Math.max(
    0,
    samples.findIndex((sample) => sample !== 0),
  )
  const last = samples.findLastIndex((sample) => sample !== 0)
  const stepSeconds = (last - first) / rateHz / Math.max(1, words.length)
  const startSeconds = (offsetSamples + first) / rateHz
  return words.flatMap((word, index) => {
    const start = startSeconds + index * stepSeconds
    const end = start + stepSeconds
    return [
      { text: word, start, end, type: 'word', logprob: -0.1 },
      { text: ' ', start: end, end, type: 'spacing', logprob: 0 },
    ]
  })
}
