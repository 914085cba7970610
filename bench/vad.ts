import { loadavg } from 'node:os'
import type { LegRateHz } from '../packages/engine/src/audio/frame.ts'
import { decodeMuLaw, encodeMuLaw } from '../packages/engine/src/audio/g711.ts'
import { joinAudio } from '../packages/engine/src/audio/generated-audio-test-kit.ts'
import { loadFvad } from '../packages/server/src/integrations/speech/voice-activity/fvad.ts'
import { SileroModel } from '../packages/server/src/integrations/speech/voice-activity/silero-model.ts'
import { createDirectClassifiers } from '../packages/server/src/integrations/speech/voice-activity/silero-test-kit.ts'
import { CLIP_RATE_HZ, convertRate } from './harness/clip-audio.ts'
import { createNoiseClips } from './harness/noise-clips.ts'
import { readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { addBabble, createSpeechClips, joinSpeech } from './harness/speech-clips.ts'
import { roundStat } from './harness/statistics.ts'
import { measureBatches, measureVoiceCost } from './harness/voice-cost.ts'
import { createDetectors } from './harness/voice-detectors.ts'
import { VoiceScore } from './harness/voice-scores.ts'

/**
 * Measures voice detection on synthesized speech, alone and with other voices, and on noises, at 16 kHz and as on the phone.
 * Also measures the CPU time of 200 calls, of which one in five speaks.
 */
const { smoke } = readOptions()
const SENTENCES = smoke ? 1 : 3
const NOISE_MS = smoke ? 2_000 : 8_000
const BABBLE_DB = [10, 5]

const loadBefore = loadavg().map(roundStat)
const allClips = await createSpeechClips(SENTENCES)
const clips = smoke ? allClips.slice(0, 2) : allClips
const noises = createNoiseClips(NOISE_MS).map(({ name, samples }) => ({
  name,
  samples,
  labels: Array.from({ length: Math.floor(samples.length / (CLIP_RATE_HZ / 50)) }, () => false),
}))
const sets = [
  { name: 'speech', clips },
  ...BABBLE_DB.map((db) => ({
    name: `speech, babble ${db} dB`,
    clips: clips.map((clip) => addBabble(clip, allClips, db)),
  })),
  { name: 'noises', clips: noises },
]

const model = await SileroModel.load()
const detectors = createDetectors({ fvad: await loadFvad(), model, gated: await createDirectClassifiers() })
const results: Record<string, Record<string, object>> = {}
const rows: (string | number)[][] = []
for (const rateHz of [16_000, 8_000] as const) {
  for (const detector of detectors) {
    const all = new VoiceScore()
    const cells: (string | number)[] = []
    const scores: Record<string, object> = {}
    for (const { name, clips: setClips } of sets) {
      const score = new VoiceScore()
      for (const { samples, labels } of setClips) {
        const spans = await detector.detect(toLeg(samples, rateHz), rateHz)
        score.add(spans, labels)
        all.add(spans, labels)
      }
      cells.push(name === 'noises' ? formatShare(score.voicedSilenceShare) : formatShare(score.balancedAccuracy))
      scores[name] = {
        ...(name !== 'noises' && {
          balancedAccuracy: roundStat(score.balancedAccuracy),
          missed: roundStat(score.missedShare),
        }),
        voicedNonSpeech: roundStat(score.voicedSilenceShare),
        falseAlarmsPerMinute: roundStat(score.falseAlarmsPerMinute),
      }
    }
    const alarms = roundStat(all.falseAlarmsPerMinute)
    scores.all = { balancedAccuracy: roundStat(all.balancedAccuracy), falseAlarmsPerMinute: alarms }
    results[`${detector.name}, ${rateHz} Hz`] = scores
    rows.push([`${detector.name}, ${rateHz / 1_000} kHz`, ...cells, formatShare(all.balancedAccuracy), alarms])
  }
}
printTable(['', ...sets.map(({ name }) => (name === 'noises' ? 'noise as voice' : name)), 'all', 'alarms/min'], rows)

const batches = await measureBatches(model, smoke ? [1, 8] : [1, 4, 8, 16, 40], smoke ? 5 : 50)
printTable(
  ['windows in a batch, 8 kHz', 'p50 ms', 'p95 ms', 'CPU µs a window'],
  batches.map((row) => Object.values(row)),
)
const speech = toLeg(joinAudio(...clips.map(({ samples, labels }) => joinSpeech(samples, labels))), 8_000)
const cost = await measureVoiceCost({ calls: smoke ? 20 : 200, seconds: smoke ? 1 : 10, speech })
printTable(
  ['', 'main µs', 'total µs', 'p50 ms', 'p95 ms', 'p99 ms'],
  [['a call, per second of audio', ...Object.values(cost)]],
)
printResult('vad', smoke, { loadBefore, loadAfter: loadavg().map(roundStat), ...results, batches, cost })

function formatShare(share: number): string {
  return share.toFixed(3).replace(/^0/, '')
}

/** Converts a clip to the format of a leg: 16 kHz as it is, 8 kHz as µ-law. */
function toLeg(samples: Int16Array, rateHz: LegRateHz): Int16Array {
  if (rateHz === CLIP_RATE_HZ) return samples
  return decodeMuLaw(encodeMuLaw(convertRate(samples, CLIP_RATE_HZ, rateHz)))
}
