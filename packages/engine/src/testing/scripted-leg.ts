import type { ServerMessage } from '@parley/contract/live'
import { FRAME_MS, type Frame, frameSamples, type LegRateHz } from '../audio/frame.ts'
import type { Clock } from '../ports.ts'
import type { LegEvents, MediaLeg } from '../voice/ports.ts'

export interface ScriptedLegOptions {
  readonly clock: Clock
  readonly rateHz?: LegRateHz
  readonly leadMs?: number
  readonly framesTogether?: number
  readonly cancelsEcho?: boolean
  readonly recognises?: boolean
  readonly tellsPlayed?: boolean
  /** How often the far end tells how far it has come. */
  readonly positionEveryMs?: number
  /** How long what it tells of that is under way. */
  readonly positionDelayMs?: number
}

/** A line whose far end plays in real time what it is sent, and what was heard there. */
export interface ScriptedLeg {
  readonly leg: MediaLeg
  readonly events: LegEvents
  /** What the caller heard, in order. */
  readonly heard: number[]
  /** Frames that were heard, and when. */
  readonly heardFrames: readonly { readonly atMs: number; readonly frame: Frame }[]
  readonly messages: readonly ServerMessage[]
  readonly clears: readonly number[]
  isClosed(): boolean
  /** Whether anything is being played right now. */
  isPlaying(): boolean
  /** 20 ms go by at the far end: `voice` says whether the caller speaks, `null` that its sound gets lost. */
  tick(voice: Frame | null): void
  lose(): void
  restore(): void
}

/** A caller's end without a network. Drive it with a `tick` every 20 ms. */
export function scriptedLeg(options: ScriptedLegOptions): ScriptedLeg {
  const { clock, rateHz = 8_000, leadMs = 200, cancelsEcho = true, tellsPlayed = true } = options
  const { positionEveryMs = 100, positionDelayMs = 0, recognises = true, framesTogether = 1 } = options
  const size = frameSamples(rateHz)
  const heard: number[] = []
  const heardFrames: { atMs: number; frame: Frame }[] = []
  const messages: ServerMessage[] = []
  const clears: number[] = []
  let queue: { frame: Frame; startSample: number }[] = []
  let events: LegEvents | null = null
  let capturedSamples = 0
  let playedSamples = 0
  let sincePositionMs = 0
  let isClosed = false
  let isLost = false

  function listener(): LegEvents {
    if (events === null) throw new Error('Nobody listens to the line.')
    return events
  }

  function tellPosition(): void {
    sincePositionMs = 0
    if (!tellsPlayed) return
    const [played, captured] = [playedSamples, capturedSamples]
    const arrive = (): void => {
      if (!isClosed) listener().played(played, captured)
    }
    if (positionDelayMs === 0) arrive()
    else clock.after(positionDelayMs, arrive)
  }

  const leg: MediaLeg = {
    kind: 'loopback',
    rateHz,
    leadMs,
    framesTogether,
    cancelsEcho,
    recognises,
    tellsPlayed,
    listen(given) {
      events = given
    },
    send(frame, startSample) {
      if (isClosed) throw new Error('Sound was sent on a closed line.')
      if (!isLost) queue.push({ frame, startSample })
    },
    clear() {
      queue = []
      clears.push(clock.now())
      // The far end answers when it has heard of it, never in the same breath.
      queueMicrotask(tellPosition)
    },
    tell: (message) => messages.push(message),
    close() {
      isClosed = true
      queue = []
    },
  }

  return {
    leg,
    get events() {
      return listener()
    },
    heard,
    heardFrames,
    messages,
    clears,
    isClosed: () => isClosed,
    isPlaying: () => queue.length > 0,
    tick(voice) {
      if (isClosed) return
      const wasPlaying = queue.length > 0
      const next = queue.shift()
      if (next !== undefined) {
        heard.push(...next.frame)
        heardFrames.push({ atMs: clock.now(), frame: next.frame })
        playedSamples = next.startSample + next.frame.length
      }
      const startSample = capturedSamples
      capturedSamples += size
      if (isLost) return
      if (voice !== null) listener().frame(voice, startSample)
      sincePositionMs += FRAME_MS
      if (wasPlaying && (sincePositionMs >= positionEveryMs || queue.length === 0)) tellPosition()
    },
    lose() {
      isLost = true
      listener().lost()
    },
    restore() {
      isLost = false
      listener().restored()
    },
  }
}
