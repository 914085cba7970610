import { spawnSync } from 'node:child_process'
import { computeLevelDb } from '../../packages/engine/src/audio/frame.ts'
import { createWhiteNoise, joinAudio, mixAudio } from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { createResampler } from '../../packages/engine/src/audio/resampler.ts'
import { FLITE_VOICES } from '../../packages/server/src/integrations/speech/flite/flite-protocol.ts'
import { createFliteSynthesizer } from '../../packages/server/src/integrations/speech/flite/flite-synthesizer.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { CLIP_RATE_HZ, toSamples } from './noise-clips.ts'

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
const ESPEAK_VOICES = ['en-us+m3', 'en-gb+f2', 'en-us+f4']
const ESPEAK_RATE_HZ = 22_050

const LABEL_SAMPLES = CLIP_RATE_HZ / 50
const SPEECH_DB = -26
const ROOM_AMPLITUDE = 30
/** Level below the loudest frame at which a frame is no longer speech, and the longest pause inside speech. */
const SPEECH_RANGE_DB = 35
const MAX_GAP_LABELS = 10

/** Synthesizes sentences with pauses, in the built-in voices and, if it is installed, in voices of `espeak-ng`. */
export async function createSpeechClips(sentenceCount: number): Promise<SpeechClip[]> {
  const flite = createFliteSynthesizer({
    clock: systemClock,
    logError(error) {
      throw error
    },
  })
  const clips: SpeechClip[] = []
  for (const voice of FLITE_VOICES) {
    const sentences: Int16Array[] = []
    for (const text of SENTENCES.slice(0, sentenceCount)) {
      const parts: Int16Array[] = []
      const request = { text, voice, model: null, language: 'en-US', rateHz: CLIP_RATE_HZ, speed: 1, temperature: 1 } as const
      const { signal } = new AbortController()
      for await (const event of flite.synthesize({ ...request, emotion: null, signal })) {
        if (event.type === 'audio') parts.push(event.samples)
      }
      sentences.push(joinAudio(...parts))
    }
    clips.push(createClip(`flite ${voice}`, sentences))
  }
  await flite.close()
  for (const voice of ESPEAK_VOICES) {
    const sentences = SENTENCES.slice(0, sentenceCount).flatMap((text) => speakWithEspeak(text, voice) ?? [])
    if (sentences.length > 0) clips.push(createClip(`espeak-ng ${voice}`, sentences))
  }
  return clips
}

function speakWithEspeak(text: string, voice: string): Int16Array | null {
  const { status, stdout } = spawnSync('espeak-ng', ['-v', voice, '--stdout', text], { timeout: 20_000 })
  if (status !== 0) return null
  // The header of a WAV file has 44 bytes.
  const resampler = createResampler(ESPEAK_RATE_HZ, CLIP_RATE_HZ)
  return joinAudio(resampler.push(toSamples(stdout.subarray(44))), resampler.flush())
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

/** Mixes a clip with the other voices, which speak at once without pauses, `snrDb` below the clip. */
export function addBabble(clip: SpeechClip, clips: readonly SpeechClip[], snrDb: number): SpeechClip {
  const others = clips.filter(({ voice }) => voice !== clip.voice)
  const voices = others.map(({ samples, labels }) => {
    const spoken = labels.flatMap((isSpeech, index) => (isSpeech ? [index] : []))
    const speech = joinAudio(
      ...spoken.map((index) => samples.subarray(index * LABEL_SAMPLES, (index + 1) * LABEL_SAMPLES)),
    )
    return Int16Array.from({ length: clip.samples.length }, (_, index) => speech[index % speech.length] ?? 0)
  })
  const babble = scaleTo(mixAudio(...voices.map((voice) => scaleTo(voice, SPEECH_DB - 10))), SPEECH_DB - snrDb)
  return { ...clip, samples: mixAudio(clip.samples, babble) }
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
