import { useState } from 'react'
import type { FieldProps } from '../../components/field.tsx'
import { objectOf, type Pair, PairsField, pairsOf } from '../../components/strings-field.tsx'
import { isSame } from '../../lib/editing/draft-state.ts'

export interface ObjectFieldProps extends Omit<FieldProps, 'children' | 'label'> {
  readonly label: string
  readonly addLabel: string
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, string>) => void
  readonly disabled?: boolean
}

/** Names with values of a record. A line whose name is not typed yet stays on the screen without being a part of it. */
export function ObjectField({ value, onChange, ...field }: ObjectFieldProps) {
  const [typed, setTyped] = useState<readonly Pair[]>(() => pairsOf(value))
  // What was undone, or came from elsewhere, replaces what was typed.
  const shown = isSame(objectOf(typed), value) ? typed : pairsOf(value)
  return (
    <PairsField
      {...field}
      value={shown}
      onChange={(pairs) => {
        setTyped(pairs)
        onChange(objectOf(pairs))
      }}
    />
  )
}
