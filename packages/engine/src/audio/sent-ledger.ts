/** Samples of something that stand together in the stream. */
interface Run<Owner> {
  readonly of: Owner
  readonly startSample: number
  /** Of the owner's samples, the first one. */
  readonly offset: number
  samples: number
  /** Where the stream stood when this was taken back; `null` while it is under way. */
  withdrawnAt: number | null
  /** Its owner goes on without it. */
  isSettled: boolean
}

/** Tells that an owner's samples before `toOffset` were played; `isCurrent` false: its owner has gone on without them. */
type OnPlayed<Owner> = (of: Owner, toOffset: number, isCurrent: boolean) => void

/**
 * Where in the stream of sent samples whose samples stand. Holds only what is under way or was taken back lately: a line may
 * tell after a withdrawal that it had come further than was known.
 */
export interface SentLedger<Owner> {
  /** Moves the stream on and tells where it stood. */
  send(samples: number): number
  note(run: { startSample: number; samples: number; of: Owner; offset: number }): void
  /** `position` is behind the last sample played; less than before or more than was sent counts as the nearest possible. */
  played(position: number, onPlayed: OnPlayed<Owner>): void
  /** What was not played is on its way no more. */
  withdraw(): void
  /** Owners go on: what was withdrawn and is reported late does not move them any more. */
  settle(): void
  readonly sentSamples: number
  readonly playedSamples: number
}

/** An empty stream. */
export function createSentLedger<Owner>(): SentLedger<Owner> {
  let runs: Run<Owner>[] = []
  let sentSamples = 0
  let playedSamples = 0

  /** Whether the run may be forgotten. */
  function report(run: Run<Owner>, onPlayed: OnPlayed<Owner>): boolean {
    // Something later is being played: how far a withdrawn run came has been told already.
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
