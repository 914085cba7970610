import type { ComponentProps } from 'react'
import { SliderField } from '../../../components/fields.tsx'
import { useFormats } from '../../../lib/format.ts'

const STEP = 0.05

export interface ShareFieldProps
  extends Omit<ComponentProps<typeof SliderField>, 'minimum' | 'maximum' | 'step' | 'print'> {
  /** 0 by default. */
  readonly minimum?: number
  /** 1 by default. */
  readonly maximum?: number
}

/** A share, or a factor of what is usual, in percent. */
export function ShareField({ minimum = 0, maximum = 1, ...field }: ShareFieldProps) {
  const { percent } = useFormats()
  return <SliderField {...field} minimum={minimum} maximum={maximum} step={STEP} print={percent} />
}
