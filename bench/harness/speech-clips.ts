import { computeLevelDb } from '../../packages/engine/src/audio/frame.ts'
import { createWhiteNoise, joinAudio, mixAudio } from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { FLITE_VOICES } from '../../packages/server/src/integrations/speech/flite/flite-protocol.ts'
import { CLIP_RATE_HZ } from './clip-audio.ts'
import { openVoiceRenderer } from './voice-renderer.ts'

/** Speech at 16 kHz with a label for each 20 ms. */
export interface SpeechClip {
  readonly voice: string
  readonly samples: Int16Array
  readonly labels: readonly boolean[]
}

const SENTENCES = [
  'I would like to book a table for four people on Friday evening, please.',
  'No, that is not what I said.',
  'My number is five five five, one two three, four five six seven.',
  'Could you tell me when the next train to the coast leaves?',
]
const ESPEAK_VOICES = ['espeak:en-us+m3', 'espeak:en-gb+f2', 'espeak:en-us+f4']

const LABEL_SAMPLES = CLIP_RATE_HZ / 50
const SPEECH_DB = -26
const ROOM_AMPLITUDE = 30
/** Level below the loudest frame at which a frame is no longer speech, and the longest pause inside speech. */
const SPEECH_RANGE_DB = 35
const MAX_GAP_LABELS = 10

/** Synthesizes sentences with pauses, in the built-in voices and, if it is installed, in voices of `espeak-ng`. */
export async function createSpeechClips(sentenceCount: number): Promise<SpeechClip[]> {
  await using renderer = await openVoiceRenderer()
  const fliteVoices = FLITE_VOICES.map((name) => `flite:${name}`)
  const clips: SpeechClip[] = []
  for (const voice of renderer.hasEspeak ? [...fliteVoices, ...ESPEAK_VOICES] : fliteVoices) {
    const sentences: Int16Array[] = []
    for (const text of SENTENCES.slice(0, sentenceCount)) sentences.push(await renderer.render(text, voice))
    clips.push(createClip(voice, sentences))
  }
  return clips
}

function createClip(voice: string, sentences: readonly Int16Array[]): SpeechClip {
  const pauses = [900, 1_600, 1_200, 2_000]
  const parts = sentences.flatMap((sentence, index) => [
    new Int16Array((CLIP_RATE_HZ * (pauses[index % pauses.length] ?? 0)) / 1_000),
    scaleTo(sentence, SPEECH_DB),
  ])
  const speech = joinAudio(...parts, new Int16Array(CLIP_RATE_HZ))
  const durationMs = (speech.length * 1_000) / CLIP_RATE_HZ
  const room = createWhiteNoise({ rateHz: CLIP_RATE_HZ, durationMs, amplitude: ROOM_AMPLITUDE }, 5)
  return { voice, samples: mixAudio(speech, room), labels: labelSpeech(speech) }
}

/** Talkers in babble. Each voice speaks several times at different positions. */
const TALKERS = 24

/** Mixes a clip with babble of the other voices, which speak without pauses, `snrDb` below the clip. */
export function addBabble(clip: SpeechClip, clips: readonly SpeechClip[], snrDb: number): SpeechClip {
  const others = clips.filter(({ voice }) => voice !== clip.voice)
  const speeches = others.map(({ samples, labels }) => joinSpeech(samples, labels))
  const talkers = Array.from({ length: TALKERS }, (_, talker) => {
    const speech = speeches[talker % speeches.length] ?? new Int16Array(1)
    const offset = Math.floor((talker * speech.length * 0.382) % speech.length)
    const audio = Int16Array.from(clip.samples, (_sample, index) => speech[(index + offset) % speech.length] ?? 0)
    return scaleTo(audio, SPEECH_DB - 14)
  })
  const babble = scaleTo(mixAudio(...talkers), SPEECH_DB - snrDb)
  return { ...clip, samples: mixAudio(clip.samples, babble) }
}

/** Returns the parts of a clip that are speech. */
export function joinSpeech(samples: Int16Array, labels: readonly boolean[]): Int16Array {
  const parts = labels.flatMap((isSpeech, index) =>
    isSpeech ? [samples.subarray(index * LABEL_SAMPLES, (index + 1) * LABEL_SAMPLES)] : [],
  )
  return joinAudio(...parts)
}

/** Labels frames by the level of clean speech. */
function labelSpeech(speech: Int16Array): boolean[] {
  const levels = Array.from({ length: Math.floor(speech.length / LABEL_SAMPLES) }, (_, index) =>
    computeLevelDb(speech.subarray(index * LABEL_SAMPLES, (index + 1) * LABEL_SAMPLES)),
  )
  const minDb = Math.max(...levels) - SPEECH_RANGE_DB
  const labels = levels.map((levelDb) => levelDb > minDb)
  let lastSpeech = Number.NEGATIVE_INFINITY
  for (const [index, isSpeech] of [...labels].entries()) {
    if (!isSpeech) continue
    if (index - lastSpeech <= MAX_GAP_LABELS) labels.fill(true, lastSpeech, index)
    lastSpeech = index
  }
  return labels
}

function scaleTo(samples: Int16Array, levelDb: number): Int16Array {
  const factor = 10 ** ((levelDb - computeLevelDb(samples)) / 20)
  return samples.map((sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * factor))))
}
