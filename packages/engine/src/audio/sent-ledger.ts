/** Consecutive samples of one owner in the stream. */
interface Run<Owner> {
  readonly of: Owner
  readonly startSample: number
  /** First sample, counted within the owner. */
  readonly offset: number
  samples: number
  /** Stream position when the run was withdrawn; `null` while it is in flight. */
  withdrawnAt: number | null
  /** The owner continued without it. */
  isSettled: boolean
}

/** Reports samples before `toOffset` as played; `isCurrent` is false if the owner has continued elsewhere. */
type OnPlayed<Owner> = (of: Owner, toOffset: number, isCurrent: boolean) => void

/**
 * Maps positions in the sent stream to their owners. Keeps runs in flight and recently withdrawn ones, since a client
 * may report late how far it played.
 */
export interface SentLedger<Owner> {
  /** Advances the stream and returns the previous position. */
  send(samples: number): number
  note(run: { startSample: number; samples: number; of: Owner; offset: number }): void
  /** Reports the position after the last played sample, clamped to what is possible. */
  played(position: number, onPlayed: OnPlayed<Owner>): void
  /** Withdraws everything that was not played. */
  withdraw(): void
  /** Late reports of withdrawn runs no longer move their owners. */
  settle(): void
  readonly sentSamples: number
  readonly playedSamples: number
}

export function createSentLedger<Owner>(): SentLedger<Owner> {
  let runs: Run<Owner>[] = []
  let sentSamples = 0
  let playedSamples = 0

  /** Returns whether the run can be dropped. */
  function report(run: Run<Owner>, onPlayed: OnPlayed<Owner>): boolean {
    // Later audio is playing, so the final position of this run was reported.
    if (run.withdrawnAt !== null && playedSamples > run.withdrawnAt) return true
    const reached = Math.min(run.samples, playedSamples - run.startSample)
    if (reached <= 0) return false
    onPlayed(run.of, run.offset + reached, !run.isSettled)
    return reached === run.samples
  }

  return {
    send(samples) {
      const startSample = sentSamples
      sentSamples += samples
      return startSample
    },
    note({ startSample, samples, of, offset }) {
      const last = runs[runs.length - 1]
      const continues =
        last !== undefined &&
        last.of === of &&
        last.withdrawnAt === null &&
        last.startSample + last.samples === startSample &&
        last.offset + last.samples === offset
      if (continues) last.samples += samples
      else runs.push({ of, startSample, offset, samples, withdrawnAt: null, isSettled: false })
    },
    played(position, onPlayed) {
      playedSamples = Math.min(sentSamples, Math.max(playedSamples, position))
      runs = runs.filter((run) => !report(run, onPlayed))
    },
    withdraw() {
      for (const run of runs) run.withdrawnAt ??= sentSamples
    },
    settle() {
      for (const run of runs) if (run.withdrawnAt !== null) run.isSettled = true
    },
    get sentSamples() {
      return sentSamples
    },
    get playedSamples() {
      return playedSamples
    },
  }
}
