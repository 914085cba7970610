import type { VoiceSpan } from './voice-detectors.ts'

const LABEL_MS = 20

/** Counts of labels and detections. */
export class VoiceScore {
  #speech = 0
  #detectedSpeech = 0
  #silence = 0
  #detectedSilence = 0
  #falseAlarms = 0

  add(spans: readonly VoiceSpan[], labels: readonly boolean[]): void {
    const isDetected = (index: number): boolean => {
      const middleMs = (index + 0.5) * LABEL_MS
      return spans.some(({ startMs, endMs }) => startMs <= middleMs && middleMs < endMs)
    }
    for (const [index, isSpeech] of labels.entries()) {
      if (isSpeech) {
        this.#speech += 1
        if (isDetected(index)) this.#detectedSpeech += 1
      } else {
        this.#silence += 1
        if (isDetected(index)) this.#detectedSilence += 1
      }
    }
    for (const { startMs, endMs } of spans) {
      const spanLabels = labels.slice(Math.floor(startMs / LABEL_MS), Math.ceil(endMs / LABEL_MS))
      if (!spanLabels.includes(true)) this.#falseAlarms += 1
    }
  }

  /** Mean of the detected share of speech and the undetected share of everything else. */
  get balancedAccuracy(): number {
    return (this.#detectedSpeech / this.#speech + 1 - this.voicedSilenceShare) / 2
  }

  get missedShare(): number {
    return 1 - this.#detectedSpeech / this.#speech
  }

  /** Share of the audio without speech that counts as voice. */
  get voicedSilenceShare(): number {
    return this.#detectedSilence / this.#silence
  }

  /** Voices that contain no speech, per minute without speech. */
  get falseAlarmsPerMinute(): number {
    return this.#falseAlarms / ((this.#silence * LABEL_MS) / 60_000)
  }
}
