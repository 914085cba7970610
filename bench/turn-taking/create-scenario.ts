import { CLIP_RATE_HZ } from '../harness/clip-audio.ts'
import { LONG_QUESTION } from './phrases.ts'
import type { Clip, SpeechRenderer } from './render-speech.ts'
import type { CallerEvent, RecognizedUtterance, Scenario, ScenarioKind } from './scenario.ts'

/** Creates calls from events. */

const PHONE_LOSS = 0.02

/** What the calls of a run have in common. */
export interface CallContext {
  readonly renderer: SpeechRenderer
  readonly voices: readonly string[]
  readonly random: () => number
  readonly rateHz: Scenario['rateHz']
}

export interface CallOptions {
  readonly kind: ScenarioKind
  readonly index: number
  readonly condition: string
  readonly event: CallerEvent
  readonly source: string
  readonly background?: Int16Array | null
}

/** A call in which the event follows the agent's opening. */
export function createFirstTurn(
  context: CallContext,
  { kind, index, condition, event, source, background = null }: CallOptions,
): Scenario {
  return {
    id: `${kind} ${context.rateHz} ${condition} ${index}`,
    kind,
    condition,
    source,
    rateHz: context.rateHz,
    question: null,
    event,
    eventAfterMs: 300 + Math.round(context.random() * 500),
    observeMs: 2_500,
    background,
    echo: null,
    loss: context.rateHz === 8_000 ? PHONE_LOSS : 0,
    seed: Math.floor(context.random() * 2 ** 31),
  }
}

/** A call in which the event falls into a long answer, which the caller asked for. */
export async function createInAnswer(context: CallContext, options: CallOptions): Promise<Scenario> {
  const question = await context.renderer.render(LONG_QUESTION, chooseVoice(context, options.index))
  return {
    ...createFirstTurn(context, options),
    question: toEvent(question),
    eventAfterMs: 1_500 + Math.round(context.random() * 2_000),
    observeMs: 3_000,
  }
}

export function chooseVoice({ voices }: CallContext, index: number): string {
  return voices[index % voices.length] ?? ''
}

export function toEvent({ samples, words }: Pick<Clip, 'samples' | 'words'>): CallerEvent {
  const endMs = toMs(samples.length)
  return { samples, utterances: [{ words, endMs }], spans: [[0, endMs]] }
}

/** Joins two events with a pause. */
export function joinEvents(first: CallerEvent, pauseMs: number, second: CallerEvent): CallerEvent {
  const offset = first.samples.length + Math.round((pauseMs * CLIP_RATE_HZ) / 1_000)
  const samples = new Int16Array(offset + second.samples.length)
  samples.set(first.samples)
  samples.set(second.samples, offset)
  const offsetMs = toMs(offset)
  const shiftUtterance = ({ words, endMs }: RecognizedUtterance): RecognizedUtterance => ({
    words: words.map((word) => ({ ...word, startMs: word.startMs + offsetMs, endMs: word.endMs + offsetMs })),
    endMs: endMs + offsetMs,
  })
  return {
    samples,
    utterances: [...first.utterances, ...second.utterances.map(shiftUtterance)],
    spans: [...first.spans, ...second.spans.map(([from, until]) => [from + offsetMs, until + offsetMs] as const)],
  }
}

export const toMs = (samples: number): number => (samples * 1_000) / CLIP_RATE_HZ
