import type { DeepgramConnection, JsonFields } from './deepgram-connection.ts'
import type { RecordingLibrary } from './recording-library.ts'
import { isValidConfiguration } from './request-rules.ts'

/** Handles a message of the client. */
export type ListenBehavior = (data: Buffer, isBinary: boolean) => void

/** Mean absolute sample value above which audio counts as speech. */
const SPEECH_LEVEL = 200
const TURN_SILENCE_MS = 500

interface Segment {
  readonly samples: Int16Array
  readonly startSeconds: number
  readonly endSeconds: number
}

/** Finds speech between silences of a given length in a stream of audio. */
class SegmentFinder {
  readonly #rateHz: number
  readonly #silenceMs: number
  #samples: number[] = []
  #startSample: number | null = null
  #sampleCount = 0
  #silentSamples = 0

  constructor(rateHz: number, silenceMs: number) {
    this.#rateHz = rateHz
    this.#silenceMs = silenceMs
  }

  /** Returns `started` when speech starts, and the segment when it ends. */
  push(bytes: Buffer): 'started' | Segment | null {
    const samples = Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(index * 2))
    const level = samples.reduce((sum, sample) => sum + Math.abs(sample), 0) / Math.max(1, samples.length)
    const isSpeech = level > SPEECH_LEVEL
    const previousCount = this.#sampleCount
    this.#sampleCount += samples.length
    if (this.#startSample === null && !isSpeech) return null
    this.#samples.push(...samples)
    this.#silentSamples = isSpeech ? 0 : this.#silentSamples + samples.length
    if (this.#startSample === null) {
      this.#startSample = previousCount
      return 'started'
    }
    return this.#silentSamples >= (this.#silenceMs * this.#rateHz) / 1_000 ? this.flush() : null
  }

  /** Returns the samples of the current segment. */
  get samples(): Int16Array {
    return Int16Array.from(this.#samples)
  }

  /** Ends the current segment. */
  flush(): Segment | null {
    if (this.#startSample === null) return null
    const speechCount = this.#samples.length - this.#silentSamples
    const segment = {
      samples: Int16Array.from(this.#samples.slice(0, speechCount)),
      startSeconds: this.#startSample / this.#rateHz,
      endSeconds: (this.#startSample + speechCount) / this.#rateHz,
    }
    this.#samples = []
    this.#startSample = null
    this.#silentSamples = 0
    return segment
  }
}

/** Builds a `Results` message whose words divide the time equally. */
export function buildResults(text: string, startSeconds: number, endSeconds: number, flags: JsonFields): JsonFields {
  const alternative = { transcript: text, confidence: 0.98, words: buildWords(text, startSeconds, endSeconds) }
  return {
    type: 'Results',
    channel_index: [0, 1],
    start: startSeconds,
    duration: endSeconds - startSeconds,
    is_final: false,
    speech_final: false,
    channel: { alternatives: [alternative] },
    metadata: { request_id: '00000000-0000-4000-8000-000000000000' },
    ...flags,
  }
}

/** Builds a `TurnInfo` message whose words divide the time equally. */
export function buildTurnInfo(event: string, text: string, fields: JsonFields = {}): JsonFields {
  const { audio_window_start: start = 0, audio_window_end: end = 1 } = fields
  return {
    type: 'TurnInfo',
    request_id: '00000000-0000-4000-8000-000000000000',
    event,
    turn_index: 0,
    audio_window_start: start,
    audio_window_end: end,
    transcript: text,
    words: buildWords(text, Number(start), Number(end)),
    end_of_turn_confidence: event === 'EndOfTurn' ? 0.9 : 0.1,
    ...fields,
  }
}

function buildWords(text: string, startSeconds: number, endSeconds: number): readonly JsonFields[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const step = (endSeconds - startSeconds) / Math.max(1, words.length)
  return words.map((word, index) => ({
    word: word.toLowerCase().replace(/[^\p{L}\p{N}']/gu, ''),
    punctuated_word: word,
    start: startSeconds + index * step,
    end: startSeconds + (index + 1) * step,
    confidence: 0.98,
  }))
}

/** Returns the words of the current segment if there are more than before, or null. Looks for them every 200 ms. */
function createStartReader(finder: SegmentFinder, { recognizeStart }: RecordingLibrary, rateHz: number) {
  let lastText = ''
  let nextSampleCount = 0
  return (): string | null => {
    const { samples } = finder
    if (samples.length === 0) [lastText, nextSampleCount] = ['', 0]
    if (recognizeStart === null || samples.length < nextSampleCount) return null
    nextSampleCount = samples.length + rateHz / 5
    const text = recognizeStart({ samples, rateHz })
    if (text === lastText) return null
    lastText = text
    return text
  }
}

/** Listens like Nova: recognizes known recordings, answers `Finalize` and `CloseStream`, and closes on an empty message. */
export function listenWithNova(connection: DeepgramConnection, library: RecordingLibrary): ListenBehavior {
  const rateHz = Number(connection.parameters.get('sample_rate'))
  const finder = new SegmentFinder(rateHz, Number(connection.parameters.get('endpointing')))
  const readStart = createStartReader(finder, library, rateHz)
  const finish = (): void => {
    connection.send({ type: 'Metadata', request_id: '00000000-0000-4000-8000-000000000000', channels: 1 })
    connection.close(1000)
  }
  const sendSegment = (segment: Segment | null, flags: JsonFields): void => {
    const text = segment === null ? '' : library.recognize({ samples: segment.samples, rateHz })
    const { startSeconds = 0, endSeconds = connection.sampleCount / rateHz } = segment ?? {}
    connection.send(buildResults(text, startSeconds, endSeconds, { is_final: true, ...flags }))
  }
  return (data, isBinary) => {
    if (isBinary) {
      if (data.length === 0) finish()
      if (library.isEmpty) return
      const found = finder.push(data)
      if (found !== null && found !== 'started') sendSegment(found, { speech_final: true })
      const text = readStart()
      if (text !== null) connection.send(buildResults(text, 0, connection.sampleCount / rateHz, {}))
      return
    }
    const { type } = JSON.parse(data.toString('utf8')) as JsonFields
    if (type === 'CloseStream') finish()
    else if (type === 'Finalize' && !library.isEmpty) sendSegment(finder.flush(), { from_finalize: true })
  }
}

/** Listens like Flux: ends turns after silence in the received audio, so that no turn ends while no audio arrives. */
export function listenWithFlux(connection: DeepgramConnection, library: RecordingLibrary): ListenBehavior {
  const rateHz = Number(connection.parameters.get('sample_rate'))
  const finder = new SegmentFinder(rateHz, TURN_SILENCE_MS)
  const readStart = createStartReader(finder, library, rateHz)
  let turnIndex = 0
  connection.send({ type: 'Connected', request_id: '00000000-0000-4000-8000-000000000000', sequence_id: 0 })
  return (data, isBinary) => {
    if (!isBinary) {
      const command = JSON.parse(data.toString('utf8')) as JsonFields
      // Flux closes without a summary and without a status.
      if (command.type === 'CloseStream') connection.close(1000)
      else if (command.type !== 'Configure') connection.send({ type: 'Error', code: 'UNPARSABLE_CLIENT_MESSAGE' })
      else if (connection.answersConfigure) {
        const isValid = isValidConfiguration(command, connection.parameters)
        connection.send({ ...command, type: isValid ? 'ConfigureSuccess' : 'ConfigureFailure' })
      }
      return
    }
    if (library.isEmpty) return
    const found = finder.push(data)
    const startText = readStart()
    if (startText !== null) connection.send(buildTurnInfo('Update', startText, { turn_index: turnIndex }))
    if (found === null) return
    if (found === 'started') {
      connection.send(buildTurnInfo('StartOfTurn', '', { turn_index: turnIndex }))
      return
    }
    const window = { audio_window_start: found.startSeconds, audio_window_end: found.endSeconds, turn_index: turnIndex }
    const text = library.recognize({ samples: found.samples, rateHz })
    connection.send(buildTurnInfo('EagerEndOfTurn', text, window))
    connection.send(buildTurnInfo('EndOfTurn', text, { ...window, trigger: 'model' }))
    turnIndex += 1
  }
}
