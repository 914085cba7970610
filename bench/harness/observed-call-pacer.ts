import { type CallPacerOptions, CallPacer as RealCallPacer } from '../../packages/server/src/media/call-pacer.ts'

/** The pacers of this process, so that a benchmark can read their statistics. */
export const pacers: RealCallPacer[] = []

/** Replaces the module of the pacer. */
export class CallPacer extends RealCallPacer {
  constructor(options: CallPacerOptions) {
    super(options)
    pacers.push(this)
  }
}
