import type { TranscriberEvent } from '@parley/engine/voice/ports'
import { buildResults } from '../../../../../../testing/deepgram-server/listen-replies.ts'

export const NOVA = 'nova-3'
export const FINAL = { is_final: true }
export const SPEECH_FINAL = { is_final: true, speech_final: true }
export const FROM_FINALIZE = { is_final: true, from_finalize: true }
/** Ends a sequence, so that all earlier messages have been handled. */
export const SENTINEL = buildResults('Sentinel.', 90, 91, SPEECH_FINAL)
export const isSentinel = (event: TranscriberEvent): boolean =>
  event.type === 'final' && event.text.endsWith('Sentinel.')

/** Formats each event as the number of its utterance, its stage and its text. */
export function summarize(events: readonly TranscriberEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === 'failed') return `failed ${event.failure.kind}`
    const stage = event.type === 'final' ? 'final' : event.stable ? 'stable' : 'interim'
    return `${event.utteranceId.replace('utterance-', '')} ${stage} ${event.text}`.trim()
  })
}
