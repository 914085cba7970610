import { FRAME_MS } from '../../audio/frame.ts'
import { type LoopbackEnd, LoopbackEndpoint, type LoopbackOptions } from './loopback-end.ts'

/** Two in-process ends: each plays what the other sends, frame by frame in real time. */
export interface LoopbackPair {
  readonly near: LoopbackEnd
  readonly far: LoopbackEnd
  /** Moves due frames; call it periodically. Does nothing once the connection has ended. */
  pump(nowMs: number): void
  /** Interrupts or restores the connection. Nothing arrives during an interruption, but time continues at both ends. */
  setInterrupted(interrupted: boolean): void
  readonly ended: boolean
}

/** Frames caught up after the process was blocked; older ones are lost on both sides. */
const MAX_FRAMES_AT_ONCE = 50

/** Opens a connection whose time starts now. */
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
        // Both ends have recorded as much as they have played.
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
