import { synthesizeTones } from '../speech-server/speech-server.ts'
import { toPcm } from '../speech-server/wav-audio.ts'
import type { DeepgramConnection, JsonFields } from './deepgram-connection.ts'

/** How the server speaks one flushed text. */
export type SpeakReply =
  /** All audio, after a warning if there is one, and the confirmation. `chunkBytes` can be odd. */
  | { readonly kind: 'normal'; readonly chunkBytes?: number; readonly warning?: string }
  /** The beginning of the audio and nothing else. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** The beginning of the audio, then a connection that breaks in the middle of a word. */
  | { readonly kind: 'drop'; readonly afterBytes: number }
  | { readonly kind: 'close'; readonly code: number }
  /** The confirmation without audio. */
  | { readonly kind: 'empty' }
  /** A message in place of audio. */
  | { readonly kind: 'message'; readonly message: JsonFields }
  | { readonly kind: 'raw'; readonly data: string }
  /** As `stall`. `Clear` is answered with late audio and, after the confirmation, the confirmation of the flush. */
  | { readonly kind: 'late'; readonly afterBytes: number }
  /** As `stall`, and `Clear` is not answered. */
  | { readonly kind: 'deaf'; readonly afterBytes: number }

const MAX_CHARACTERS = 2_000
const DEFAULT_CHUNK_BYTES = 3_200

/** Speaks like Aura (`/v1/speak`) or Flux (`/v2/speak`): a tone for each word. */
export function createSpeaker(connection: DeepgramConnection, nextReply: () => SpeakReply) {
  const isFlux = connection.path === '/v2/speak'
  const rateHz = Number(connection.parameters.get('sample_rate'))
  let text = ''
  let sequenceId = 0
  let lastReply: SpeakReply = { kind: 'normal' }
  const confirmFlush = (): void => {
    if (isFlux) connection.send({ type: 'SpeechMetadata', speech_id: `s${sequenceId}`, audio_duration_ms: 1 })
    else connection.send({ type: 'Flushed', sequence_id: sequenceId })
    sequenceId += 1
  }
  const sendAudio = (byteCount: number, chunkBytes = DEFAULT_CHUNK_BYTES): void => {
    const bytes = toPcm(synthesizeTones(text, rateHz)).subarray(0, byteCount)
    for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
      connection.sendRaw(bytes.subarray(offset, offset + chunkBytes))
    }
  }
  connection.send({ type: isFlux ? 'Connected' : 'Metadata', model_name: connection.parameters.get('model') })

  const flush = (): void => {
    const reply = nextReply()
    lastReply = reply
    if (isFlux) {
      connection.send({ type: 'SpeechStarted', speech_id: `s${sequenceId}` })
      connection.send({ type: 'Flushed' })
    }
    if (reply.kind === 'normal' && reply.warning !== undefined) {
      connection.send({ type: 'Warning', code: reply.warning, description: 'A description.' })
    }
    if (reply.kind === 'normal') sendAudio(Number.POSITIVE_INFINITY, reply.chunkBytes)
    else if ('afterBytes' in reply) sendAudio(reply.afterBytes)
    if (reply.kind === 'normal' || reply.kind === 'empty') confirmFlush()
    else if (reply.kind === 'drop') connection.drop()
    else if (reply.kind === 'close') connection.close(reply.code)
    else if (reply.kind === 'message') connection.send(reply.message)
    else if (reply.kind === 'raw') connection.sendRaw(reply.data)
    text = ''
  }

  return (data: Buffer, isBinary: boolean): void => {
    const command = isBinary ? {} : (JSON.parse(data.toString('utf8')) as JsonFields)
    if (command.type === 'Speak') {
      const addition = String(command.text)
      if (addition.length > MAX_CHARACTERS) connection.close(1009, 'BIG-0001')
      else text += addition
    } else if (command.type === 'Flush') flush()
    else if (command.type === 'Clear' && !isFlux) {
      if (lastReply.kind === 'deaf') return
      if (lastReply.kind === 'late') connection.sendRaw(Buffer.alloc(DEFAULT_CHUNK_BYTES, 7))
      connection.send({ type: 'Cleared', sequence_id: sequenceId })
      if (lastReply.kind === 'late') confirmFlush()
      text = ''
      lastReply = { kind: 'normal' }
    } else if (command.type === 'Close') connection.close(1000)
    else connection.close(1003, 'MESSAGE-0000')
  }
}
