import type { SpeechEvent } from '@parley/engine/voice/ports'
import { PushStream, type PushStreamOwner } from '../push-stream.ts'

/** The events of one spoken text. An `end` or a `failed` event is the last event. */
export class SpeechStream extends PushStream<SpeechEvent> {
  constructor(signal: AbortSignal, owner: Omit<PushStreamOwner<SpeechEvent>, 'isLast'>) {
    super(signal, { ...owner, isLast: ({ type }) => type === 'end' || type === 'failed' })
  }
}
