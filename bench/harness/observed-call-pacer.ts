import {
  type CallPacer,
  type CallPacerOptions,
  createCallPacer as createRealWheel,
} from '../../packages/server/src/media/call-pacer.ts'

/** The wheels of this process, so that a bench can ask for their figures. */
export const pacers: CallPacer[] = []

/** In the place of the wheel's own module, which it stands on. */
export function createCallPacer(options: CallPacerOptions): CallPacer {
  const pacer = createRealWheel(options)
  pacers.push(pacer)
  return pacer
}
