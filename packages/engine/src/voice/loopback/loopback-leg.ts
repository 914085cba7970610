import { FRAME_MS } from '../../audio/frame.ts'
import { type LoopbackEnd, LoopbackEndpoint, type LoopbackOptions } from './loopback-end.ts'

/** Two ends within this process: what one sends is played at the other, frame by frame in real time. */
export interface LoopbackPair {
  readonly near: LoopbackEnd
  readonly far: LoopbackEnd
  /** Moves what is due; given to the wheel. Does nothing once the connection has ended. */
  pump(nowMs: number): void
  /** Interrupts the connection or restores it; while it is interrupted nothing arrives, and time goes on at both ends. */
  setInterrupted(interrupted: boolean): void
  readonly ended: boolean
}

/** After a pause of the process this much is made up for; the rest of the time is lost on both sides. */
const MAX_FRAMES_AT_ONCE = 50

/** Opens a connection on which time starts now. */
export function createLoopbackPair(options: LoopbackOptions): LoopbackPair {
  const startMs = options.clock.now()
  const near = new LoopbackEndpoint(options)
  const far = new LoopbackEndpoint(options)
  near.connect(far)
  far.connect(near)
  let frames = 0
  let interrupted = false

  return {
    near,
    far,
    pump(nowMs) {
      const due = Math.floor((nowMs - startMs) / FRAME_MS)
      frames = Math.max(frames, due - MAX_FRAMES_AT_ONCE)
      for (; frames < due && !(near.isEnded && far.isEnded); frames += 1) {
        near.step(frames, interrupted)
        far.step(frames, interrupted)
        // Only now both ends have recorded as much as they have played.
        near.settle(interrupted)
        far.settle(interrupted)
      }
    },
    setInterrupted(next) {
      if (next === interrupted) return
      interrupted = next
      for (const end of [near, far]) end.noteInterrupted(next)
    },
    get ended() {
      return near.isEnded && far.isEnded
    },
  }
}
