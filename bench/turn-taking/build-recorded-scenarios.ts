import { CLIP_RATE_HZ } from '../harness/clip-audio.ts'
import { type CallContext, createFirstTurn, createInAnswer, joinEvents, toEvent } from './create-scenario.ts'
import { scaleToLevel } from './levels.ts'
import type { LabeledClip } from './read-recordings.ts'
import type { RecordedKind } from './recording-labels.ts'
import { CALLER_DB, divideWords } from './render-speech.ts'
import type { CallerEvent, Scenario } from './scenario.ts'

/** Levels relative to the caller's speech if a label names none. */
const LEVELS_DB: Readonly<Record<RecordedKind, number>> = {
  backchannel: 0,
  interruption: 0,
  noise: 0,
  'other-people': -15,
  pause: 0,
  question: 0,
}
const PAUSES_MS = [500, 1_000, 1_500]

/** Builds one call per labeled clip. The first question of a call is synthesized. */
export async function buildRecordedScenarios(context: CallContext, clips: readonly LabeledClip[]): Promise<Scenario[]> {
  const scenarios: Scenario[] = []
  for (const [index, clip] of clips.entries()) {
    const { kind, file } = clip.label
    const event = kind === 'pause' ? createPause(clip) : createSpeech(clip)
    const options = { kind, index, condition: describeCondition(clip), event, source: file }
    const isFirstTurn = kind === 'pause' || kind === 'question'
    scenarios.push(isFirstTurn ? createFirstTurn(context, options) : await createInAnswer(context, options))
  }
  return scenarios
}

function createSpeech({ label, samples }: LabeledClip, text = label.text): CallerEvent {
  const scaled = scaleToLevel(samples, CALLER_DB + (label.levelDb ?? LEVELS_DB[label.kind]))
  const event = toEvent({ samples: scaled, words: divideWords(text, scaled.length) })
  return text === '' ? { ...event, utterances: [] } : event
}

function createPause({ label, samples }: LabeledClip): CallerEvent {
  const { pause, startMs, text } = label
  if (pause === null) throw new Error('The pause has no times.')
  const [first = '', second = ''] = text.split('|')
  const toSample = (timeMs: number): number => Math.round(((timeMs - startMs) * CLIP_RATE_HZ) / 1_000)
  const before = samples.slice(0, toSample(pause.startMs))
  const after = samples.slice(toSample(pause.endMs))
  return joinEvents(
    createSpeech({ label, samples: before }, first),
    pause.endMs - pause.startMs,
    createSpeech({ label, samples: after }, second),
  )
}

/** Pauses count toward the goal of the nearest length. */
function describeCondition({ label: { pause } }: LabeledClip): string {
  if (pause === null) return 'recorded'
  const lengthMs = pause.endMs - pause.startMs
  const [nearest = 500] = PAUSES_MS.toSorted((left, right) => Math.abs(left - lengthMs) - Math.abs(right - lengthMs))
  return `${nearest} ms`
}
