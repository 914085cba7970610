import type { SpeechEvent } from '@parley/engine/voice/ports'
import { PushStream, type PushStreamOwner } from '../push-stream.ts'

/** The events of one spoken text; an `end` or a `failed` is the last one. */
export class SpeechStream extends PushStream<SpeechEvent> {
  constructor(signal: AbortSignal, owner: Omit<PushStreamOwner<SpeechEvent>, 'isLast'>) {
    super(signal, { ...owner, isLast: ({ type }) => type === 'end' || type === 'failed' })
  }
}
