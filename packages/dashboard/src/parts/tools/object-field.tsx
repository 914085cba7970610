import { useState } from 'react'
import type { FieldProps } from '../../components/field.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { type Pair, PairsField, toObject, toPairs } from '../../components/strings-field.tsx'
import { isJsonEqual } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { findObjectProblem, formatJson, readObject, useObjectProblemText } from './json-text.ts'

export interface ObjectFieldProps extends Omit<FieldProps, 'children' | 'label'> {
  readonly label: string
  readonly addLabel: string
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, string>) => void
  readonly disabled?: boolean
}

/** Renders names with values. A row without a name is displayed but excluded from the value. */
export function ObjectField({ value, onChange, ...field }: ObjectFieldProps) {
  const [typed, setTyped] = useState<readonly Pair[]>(() => toPairs(value))
  // A value from undo or another edit replaces the typed rows.
  const displayedPairs = isJsonEqual(toObject(typed), value) ? typed : toPairs(value)
  return (
    <PairsField
      {...field}
      value={displayedPairs}
      onChange={(pairs) => {
        setTyped(pairs)
        onChange(toObject(pairs))
      }}
    />
  )
}

type JsonObject = Readonly<Record<string, unknown>>

/** Renders an optional JSON object. Invalid JSON stays visible but does not change the value. */
export function ObjectJsonField({
  value,
  onChange,
  disabled,
  ...field
}: Omit<FieldProps, 'children' | 'error' | 'isOptional'> & {
  readonly value: JsonObject | undefined
  readonly onChange: (value: JsonObject | undefined) => void
  readonly disabled: boolean
}) {
  const t = useText()
  const words = useObjectProblemText()
  const [typed, setTyped] = useState<string | null>(null)
  const printed = value === undefined ? '' : formatJson(value)
  // A value from undo or another edit replaces valid typed text.
  const read = typed === null ? null : readObject(typed)
  const isStale = typed !== null && (read !== null || typed.trim() === '') && !isJsonEqual(read ?? undefined, value)
  const text = typed === null || isStale ? printed : typed
  const problem = text.trim() === '' ? null : findObjectProblem(text)
  return (
    <CodeField
      {...field}
      isOptional
      language="json"
      minimumHeight="6rem"
      value={text}
      disabled={disabled}
      onChange={(changed) => {
        setTyped(changed)
        if (changed.trim() === '') onChange(undefined)
        else {
          const object = readObject(changed)
          if (object !== null) onChange(object)
        }
      }}
      {...(problem !== null && {
        error: `${words(problem)} ${t('Fix the JSON to apply the change.')}`,
      })}
    />
  )
}
