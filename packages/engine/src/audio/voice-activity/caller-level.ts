/** Speech whose average is this far below the caller's level comes from someone or something in the background. */
const BACKGROUND_DB = 7

/** Duration of the caller's speech after which the level is known. */
const LEARNING_MS = 600

/** Adaptation in dB per second of speech. With a ratio of 3, the level settles at the 75th percentile of the speech levels. */
const RISE_DB_PER_S = 18
const FALL_DB_PER_S = 6

/** A caller who moves away from the microphone is heard again after some seconds. */
const BACKGROUND_GRACE_MS = 2_000
const BACKGROUND_FALL_DB_PER_S = 2

/** Tracks the level of the caller's speech, so that quieter voices such as a television count as background. */
export class CallerLevel {
  #levelDb: number | null = null
  #learnedMs = 0
  #backgroundMs = 0

  /** Whether speech with this level is too quiet to be the caller's. False until the level is known. */
  isBackground(levelDb: number): boolean {
    return this.#levelDb !== null && this.#learnedMs >= LEARNING_MS && levelDb <= this.#levelDb - BACKGROUND_DB
  }

  /** Adds the level of the caller's speech. */
  addSpeech(levelDb: number, durationMs: number): void {
    this.#backgroundMs = 0
    this.#learnedMs += durationMs
    // The first windows of an utterance are quiet, so the estimate starts at a maximum.
    if (this.#levelDb === null || (this.#learnedMs < LEARNING_MS && levelDb > this.#levelDb)) this.#levelDb = levelDb
    else if (levelDb > this.#levelDb)
      this.#levelDb = Math.min(levelDb, this.#levelDb + getStep(RISE_DB_PER_S, durationMs))
    else this.#levelDb = Math.max(levelDb, this.#levelDb - getStep(FALL_DB_PER_S, durationMs))
  }

  /** Adds background speech. After some seconds, the caller's level falls slowly. */
  addBackground(durationMs: number): void {
    this.#backgroundMs += durationMs
    if (this.#levelDb === null || this.#backgroundMs < BACKGROUND_GRACE_MS) return
    this.#levelDb -= getStep(BACKGROUND_FALL_DB_PER_S, durationMs)
  }

  /** Lowers the caller's level to that of a quieter voice that turned out to be the caller's. */
  confirm(levelDb: number): void {
    if (this.#levelDb !== null) this.#levelDb = Math.min(this.#levelDb, levelDb)
  }
}

function getStep(dbPerSecond: number, durationMs: number): number {
  return (dbPerSecond * durationMs) / 1_000
}
