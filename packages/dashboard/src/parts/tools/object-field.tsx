import { useState } from 'react'
import type { FieldProps } from '../../components/field.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { type Pair, PairsField, toObject, toPairs } from '../../components/strings-field.tsx'
import { isJsonEqual } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { findObjectProblem, formatJson, parseObject, useObjectProblemText } from './json-text.ts'

export interface ObjectFieldProps extends Omit<FieldProps, 'children' | 'label'> {
  readonly label: string
  readonly addLabel: string
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, string>) => void
  readonly disabled?: boolean
}

/** Renders name-value pairs. Rows without a name are displayed but not part of the value. */
export function ObjectField({ value, onChange, ...field }: ObjectFieldProps) {
  const [inputPairs, setInputPairs] = useState<readonly Pair[]>(() => toPairs(value))
  // Undo or another edit can change the value, which then replaces the entered rows.
  const displayedPairs = isJsonEqual(toObject(inputPairs), value) ? inputPairs : toPairs(value)
  return (
    <PairsField
      {...field}
      value={displayedPairs}
      onChange={(pairs) => {
        setInputPairs(pairs)
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
  const formatProblem = useObjectProblemText()
  const [inputText, setInputText] = useState<string | null>(null)
  const formattedValue = value === undefined ? '' : formatJson(value)
  // Undo or another edit can change the value, which then replaces the entered text if that is valid.
  const inputObject = inputText === null ? null : parseObject(inputText)
  const isStale =
    inputText !== null &&
    (inputObject !== null || inputText.trim() === '') &&
    !isJsonEqual(inputObject ?? undefined, value)
  const text = inputText === null || isStale ? formattedValue : inputText
  const problem = text.trim() === '' ? null : findObjectProblem(text)
  return (
    <CodeField
      {...field}
      isOptional
      language="json"
      minHeight="6rem"
      value={text}
      disabled={disabled}
      onChange={(newText) => {
        setInputText(newText)
        if (newText.trim() === '') onChange(undefined)
        else {
          const object = parseObject(newText)
          if (object !== null) onChange(object)
        }
      }}
      {...(problem !== null && {
        error: `${formatProblem(problem)} ${t('Fix the JSON to apply the change.')}`,
      })}
    />
  )
}
