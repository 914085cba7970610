import type { FieldProps } from '../../../components/field.tsx'
import { NumberField } from '../../../components/fields.tsx'
import { useText } from '../../../lib/language.ts'

const SIZES_MS = { ms: 1, s: 1_000, min: 60_000 } as const
type Scale = keyof typeof SIZES_MS

export interface DurationFieldProps extends Omit<FieldProps, 'children' | 'error'> {
  readonly valueMs: number
  readonly onChange: (valueMs: number) => void
  /** The unit that is written and shown; step and bounds are in it. */
  readonly scale: Scale
  readonly step?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly disabled: boolean
}

/** Milliseconds, written in a unit that people read. An empty field changes nothing. */
export function DurationField({ valueMs, onChange, scale, ...field }: DurationFieldProps) {
  const t = useText()
  const words = { ms: 'ms', s: 's', min: t('min') }
  return (
    <NumberField
      {...field}
      unit={words[scale]}
      value={inUnit(valueMs, scale)}
      onChange={(value) => {
        if (value !== null) onChange(Math.round(value * SIZES_MS[scale]))
      }}
    />
  )
}

/** Without the noise of binary fractions: 100 ms are 0.1 s. */
export function inUnit(valueMs: number, scale: Scale): number {
  return Math.round((valueMs / SIZES_MS[scale]) * 1e6) / 1e6
}
