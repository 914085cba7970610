import { createWheel as createRealWheel, type Wheel, type WheelOptions } from '../../packages/server/src/media/wheel.ts'

/** The wheels of this process, so that a bench can ask for their figures. */
export const wheels: Wheel[] = []

/** In the place of the wheel's own module, which it stands on. */
export function createWheel(options: WheelOptions): Wheel {
  const wheel = createRealWheel(options)
  wheels.push(wheel)
  return wheel
}
