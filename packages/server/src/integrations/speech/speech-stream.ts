import type { SpeechEvent } from '@parley/engine/voice/ports'
import { PushStream, type PushStreamSource } from '../push-stream.ts'

/** The events of one synthesized text. The last event is `end` or `failed`. */
export class SpeechStream extends PushStream<SpeechEvent> {
  constructor(signal: AbortSignal, owner: Omit<PushStreamSource<SpeechEvent>, 'isLast'>) {
    super(signal, { ...owner, isLast: ({ type }) => type === 'end' || type === 'failed' })
  }
}
