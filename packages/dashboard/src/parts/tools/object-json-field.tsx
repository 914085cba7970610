import { useState } from 'react'
import type { FieldProps } from '../../components/field.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { isSame } from '../../lib/editing/draft-state.ts'
import { useText } from '../../lib/language.ts'
import { printJson, problemOfObject, readObject, useProblemWords } from './json-text.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** An object of JSON that may be left away. What is no JSON yet stays on the screen, with the words that it does not count. */
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
  const words = useProblemWords()
  const [typed, setTyped] = useState<string | null>(null)
  const printed = value === undefined ? '' : printJson(value)
  // What was undone, or came from elsewhere, replaces what was typed and made sense.
  const read = typed === null ? null : readObject(typed)
  const isStale = typed !== null && (read !== null || typed.trim() === '') && !isSame(read ?? undefined, value)
  const text = typed === null || isStale ? printed : typed
  const problem = text.trim() === '' ? null : problemOfObject(text)
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
        error: `${words(problem)} ${t('It is not taken over until this is mended.')}`,
      })}
    />
  )
}
