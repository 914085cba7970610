import { type CallPacerOptions, CallPacer as RealCallPacer } from '../../packages/server/src/media/call-pacer.ts'

/** Call pacers of the process, whose statistics benchmarks read. */
export const pacers: RealCallPacer[] = []

/** Replaces the pacer module and records every instance. */
export class CallPacer extends RealCallPacer {
  constructor(options: CallPacerOptions) {
    super(options)
    pacers.push(this)
  }
}
