import { createSeededRandom } from '../../packages/engine/src/audio/seeded-random.ts'
import { CLIP_RATE_HZ } from '../harness/clip-audio.ts'
import { createNoiseSample, NOISE_NAMES } from '../harness/noises.ts'
import {
  type CallContext,
  chooseVoice,
  createFirstTurn,
  createInAnswer,
  joinEvents,
  toEvent,
  toMs,
} from './create-scenario.ts'
import { addSamples, scale, scaleToLevel, toGain } from './levels.ts'
import { BACKCHANNELS, BACKGROUND, INTERRUPTIONS, type Phrase, QUESTIONS, UNFINISHED } from './phrases.ts'
import { CALLER_DB, type Clip, type SpeechRenderer } from './render-speech.ts'
import type { CallerEvent, Scenario, ScenarioKind } from './scenario.ts'

/** Builds the calls of a set. The sets share no voice and no noise, and half of the sentences. */

export type SetName = 'tune' | 'report'
export type RateHz = Scenario['rateHz']

const VOICES: Readonly<Record<SetName, readonly string[]>> = {
  tune: ['flite:slt', 'espeak:en-us', 'espeak:en-us+f3', 'espeak:en-us+m7'],
  report: ['flite:rms', 'flite:awb', 'espeak:en-gb', 'espeak:en-gb-scotland+f2', 'espeak:en-029+m3'],
}
const SEEDS: Readonly<Record<SetName, number>> = { tune: 1_000, report: 5_000 }

const COUNTS: Readonly<Record<ScenarioKind, number>> = {
  backchannel: 60,
  interruption: 60,
  noise: 40,
  'other-people': 40,
  pause: 40,
  question: 40,
  echo: 20,
  undisturbed: 10,
}
const PAUSES_MS = [500, 1_000, 1_500]
const BABBLE_SNR_DB = [10, 5]
/** Calls with babble per level and kind. */
const BABBLE_COUNT = 20

const NO_EVENT: CallerEvent = { samples: new Int16Array(0), utterances: [], spans: [] }

export interface BuildOptions {
  readonly set: SetName
  readonly renderer: SpeechRenderer
  /** Kinds to build. */
  readonly kinds: readonly ScenarioKind[]
  /** Calls per kind and condition, at most; null for the full number. */
  readonly limit: number | null
  /** Whether to include calls in babble. */
  readonly hasBabble: boolean
  readonly rateHz: RateHz
}

interface Builder extends BuildOptions, CallContext {}

export async function buildScenarios(options: BuildOptions): Promise<Scenario[]> {
  const builder: Builder = { ...options, ...createContext(options) }
  const scenarios: Scenario[] = []
  for (const kind of options.kinds) {
    scenarios.push(...(await BUILDERS[kind](builder)))
  }
  return scenarios
}

/** Creates the context of a set's calls. Without espeak-ng, the voices of flite remain. */
export function createContext({
  set,
  renderer,
  rateHz,
}: Pick<BuildOptions, 'set' | 'renderer' | 'rateHz'>): CallContext {
  const voices = VOICES[set].filter((voice) => renderer.hasEspeak || !voice.startsWith('espeak:'))
  return { renderer, rateHz, voices, random: createSeededRandom(SEEDS[set]) }
}

/** Names of the voices of a set, for the report. */
export function listVoices(set: SetName): readonly string[] {
  return VOICES[set]
}

const BUILDERS: Readonly<Record<ScenarioKind, (builder: Builder) => Promise<Scenario[]>>> = {
  backchannel: (builder) => buildSpoken(builder, 'backchannel', BACKCHANNELS),
  interruption: (builder) => buildSpoken(builder, 'interruption', chooseHalf(builder.set, INTERRUPTIONS)),
  noise: buildNoises,
  'other-people': buildOtherPeople,
  pause: buildPauses,
  question: buildQuestions,
  echo: (builder) =>
    collect(builder, COUNTS.echo, async (index) => {
      const db = index % 2 === 0 ? -30 : -20
      const delayMs = 60 + 20 * (index % 4)
      const options = { kind: 'echo', index, condition: `${db} dB`, event: NO_EVENT, source: `${delayMs} ms` } as const
      return { ...(await createInAnswer(builder, options)), echo: { db, delayMs }, eventAfterMs: 0, observeMs: 10_000 }
    }),
  undisturbed: (builder) =>
    collect(builder, COUNTS.undisturbed, async (index) => {
      const options = { kind: 'undisturbed', index, condition: 'clean', event: NO_EVENT, source: '' } as const
      return { ...(await createInAnswer(builder, options)), eventAfterMs: 0, observeMs: 10_000 }
    }),
}

async function buildSpoken(
  builder: Builder,
  kind: 'backchannel' | 'interruption',
  phrases: readonly Phrase[],
): Promise<Scenario[]> {
  const build = (condition: string, background: Int16Array | null) => async (index: number) => {
    const clip = await renderAt(builder, phrases, index)
    const options = { kind, index, condition, event: toEvent(clip), source: `${clip.voice} "${clip.text}"`, background }
    return await createInAnswer(builder, options)
  }
  const scenarios = await collect(builder, COUNTS[kind], build('clean', null))
  for (const { condition, background } of await renderBabbles(builder)) {
    scenarios.push(...(await collect(builder, BABBLE_COUNT, build(condition, background))))
  }
  return scenarios
}

async function buildQuestions(builder: Builder): Promise<Scenario[]> {
  const build = (condition: string, background: Int16Array | null) => async (index: number) => {
    const clip = await renderAt(builder, QUESTIONS, index)
    const options = {
      kind: 'question',
      index,
      condition,
      event: toEvent(clip),
      source: clip.voice,
      background,
    } as const
    return createFirstTurn(builder, options)
  }
  const scenarios = await collect(builder, COUNTS.question, build('clean', null))
  for (const { condition, background } of await renderBabbles(builder)) {
    scenarios.push(...(await collect(builder, BABBLE_COUNT, build(condition, background))))
  }
  return scenarios
}

/** Renders the babble of each level. Phone calls are measured without babble, to keep the run short. */
async function renderBabbles(
  builder: Builder,
): Promise<{ readonly condition: string; readonly background: Int16Array }[]> {
  const babbles: { readonly condition: string; readonly background: Int16Array }[] = []
  for (const snrDb of builder.hasBabble && builder.rateHz === 16_000 ? BABBLE_SNR_DB : []) {
    babbles.push({ condition: `babble ${snrDb} dB`, background: await renderBabble(builder, CALLER_DB - snrDb) })
  }
  return babbles
}

function buildNoises(builder: Builder): Promise<Scenario[]> {
  return collect(builder, COUNTS.noise, async (index) => {
    const name = NOISE_NAMES[index % NOISE_NAMES.length] ?? ''
    const db = CALLER_DB - 6 + 3 * Math.floor(builder.random() * 4)
    const samples = scaleToLevel(createNoiseSample(name, SEEDS[builder.set] + index, CLIP_RATE_HZ), db)
    const event = { samples, utterances: [], spans: [[0, toMs(samples.length)]] } as const
    return await createInAnswer(builder, { kind: 'noise', index, condition: 'clean', event, source: name })
  })
}

function buildOtherPeople(builder: Builder): Promise<Scenario[]> {
  return collect(builder, COUNTS['other-people'], async (index) => {
    const clip = await renderAt(builder, BACKGROUND, index, 1)
    const db = [-10, -15, -20][index % 3] ?? -10
    const samples = scale(clip.samples, toGain(db))
    // A recognizer also understands half of what is loud.
    const isRecognized = db === -10 && index % 2 === 0
    const event = { ...toEvent(clip), samples, ...(isRecognized ? {} : { utterances: [] }) }
    const condition = `${db} dB${isRecognized ? ', recognized' : ''}`
    return await createInAnswer(builder, { kind: 'other-people', index, condition, event, source: clip.voice })
  })
}

async function buildPauses(builder: Builder): Promise<Scenario[]> {
  const scenarios: Scenario[] = []
  for (const pauseMs of PAUSES_MS) {
    const built = await collect(builder, COUNTS.pause, async (index) => {
      const sentence = UNFINISHED[index % UNFINISHED.length]
      if (sentence === undefined) throw new Error('There are no sentences.')
      const voice = chooseVoice(builder, index)
      const [first, second] = [
        await builder.renderer.render(sentence[0], voice),
        await builder.renderer.render(sentence[1], voice),
      ]
      const event = joinEvents(toEvent(first), pauseMs, toEvent(second))
      return createFirstTurn(builder, { kind: 'pause', index, condition: `${pauseMs} ms`, event, source: voice })
    })
    scenarios.push(...built)
  }
  return scenarios
}

/** Renders phrase number `index` so that every voice says every phrase in turn. `shift` moves on to another voice. */
function renderAt(builder: Builder, phrases: readonly Phrase[], index: number, shift = 0): Promise<Clip> {
  const phrase = phrases[index % phrases.length]
  if (phrase === undefined) throw new Error('There are no phrases.')
  const round = Math.floor(index / phrases.length)
  return builder.renderer.render(phrase, chooseVoice(builder, index + round + shift))
}

/** Mixes eight talkers into a background of ten seconds. */
async function renderBabble(builder: Builder, db: number): Promise<Int16Array> {
  const babble = new Int16Array(CLIP_RATE_HZ * 10)
  for (let talker = 0; talker < 8; talker += 1) {
    let position = Math.floor(builder.random() * CLIP_RATE_HZ)
    for (let index = talker; position < babble.length; index += 1) {
      const clip = await renderAt(builder, BACKGROUND, index, talker)
      addSamples(babble, clip.samples, position, 0.3)
      position += clip.samples.length + Math.floor(builder.random() * CLIP_RATE_HZ * 0.2)
    }
  }
  return scaleToLevel(babble, db)
}

/** Takes every second phrase, so that the sets do not share any. */
function chooseHalf(set: SetName, phrases: readonly Phrase[]): Phrase[] {
  return phrases.filter((_, index) => index % 2 === (set === 'tune' ? 0 : 1))
}

/** Without a common divisor with any count, so that a selection contains all voices. */
const SELECTION_STEP = 7

/** Builds `count` calls, or with a limit a selection of them. */
async function collect(
  { limit }: Builder,
  count: number,
  build: (index: number) => Promise<Scenario> | Scenario,
): Promise<Scenario[]> {
  const wanted = Math.min(count, limit ?? count)
  const scenarios: Scenario[] = []
  for (let call = 0; call < wanted; call += 1) scenarios.push(await build((call * SELECTION_STEP) % count))
  return scenarios
}
