import type { CallTurnLatency } from '@parley/contract/call-event'
import type { Explanation } from '../../dialogue/explanation.ts'

/** When what happened in a turn, by the clock; `null`: it did not happen. */
export interface TurnTimes {
  readonly turnId: string
  /** The caller was heard last. */
  readonly lastVoiceAtMs: number
  readonly endOfTurnMs: number
  readonly committedAtMs: number
  finalTextAtMs: number | null
  firstTextAtMs: number | null
  firstClauseAtMs: number | null
  requestedAtMs: number | null
  firstAudioAtMs: number | null
  firstPlayedAtMs: number | null
  retrievalMs: number | null
  /** Of each generation that answered it. */
  readonly decisions: (readonly Explanation[])[]
  isRecorded: boolean
}

export function createTurnTimes(
  turn: Pick<TurnTimes, 'turnId' | 'lastVoiceAtMs' | 'endOfTurnMs' | 'committedAtMs' | 'finalTextAtMs'>,
): TurnTimes {
  return {
    ...turn,
    firstTextAtMs: null,
    firstClauseAtMs: null,
    requestedAtMs: null,
    firstAudioAtMs: null,
    firstPlayedAtMs: null,
    retrievalMs: null,
    decisions: [],
    isRecorded: false,
  }
}

/** Where the time went between the caller's last sound and the agent's first; `null` while nothing was answered. */
export function turnLatency(times: TurnTimes): CallTurnLatency | null {
  const { lastVoiceAtMs, committedAtMs, firstTextAtMs, firstClauseAtMs, requestedAtMs } = times
  const { firstAudioAtMs, firstPlayedAtMs, finalTextAtMs, retrievalMs } = times
  if (firstPlayedAtMs === null) return null
  return {
    totalMs: Math.max(0, firstPlayedAtMs - lastVoiceAtMs),
    endOfTurnMs: times.endOfTurnMs,
    recogniserMs: between(lastVoiceAtMs, finalTextAtMs),
    retrievalMs,
    modelFirstTokenMs: between(committedAtMs, firstTextAtMs),
    firstClauseMs: between(firstTextAtMs, firstClauseAtMs),
    synthesisFirstAudioMs: between(requestedAtMs, firstAudioAtMs),
    playoutMs: between(firstAudioAtMs, firstPlayedAtMs),
  }
}

function between(fromMs: number | null, toMs: number | null): number | null {
  return fromMs === null || toMs === null ? null : Math.round(toMs - fromMs)
}
