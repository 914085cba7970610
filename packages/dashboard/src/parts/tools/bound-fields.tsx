import type { ReactNode } from 'react'
import {
  type Choice,
  NumberField,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../components/fields.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import { type ChoiceKind, useChoices } from '../choices/choices.ts'
import { findObjectProblem, isObject, useObjectProblemText } from './json-text.ts'
import { ObjectField } from './object-field.tsx'
import { useToolField, useToolJsonField } from './tool-draft.ts'

interface ToolFieldProps {
  readonly path: string
  readonly label: string
  readonly help?: string
}

interface TextProps extends ToolFieldProps {
  /** Whether clearing the text removes the field. */
  readonly isOptional?: boolean
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

export function ToolText({ path, isOptional = false, ...labels }: TextProps & { readonly placeholder?: string }) {
  const { value, set, ...field } = useToolField(path)
  return (
    <TextField
      {...labels}
      {...field}
      isOptional={isOptional}
      spellCheck={false}
      autoComplete="off"
      value={toText(value)}
      onChange={(text) => set(text === '' && isOptional ? undefined : text)}
    />
  )
}

/** Renders a multi-line text field. */
export function ToolTextArea({ path, isOptional = false, ...labels }: TextProps) {
  const { value, set, ...field } = useToolField(path)
  return (
    <TextAreaField
      {...labels}
      {...field}
      isOptional={isOptional}
      rows={3}
      value={toText(value)}
      onChange={(text) => set(text === '' && isOptional ? undefined : text)}
    />
  )
}

/** Renders an optional number. `scale` is the stored value per displayed unit. */
export function ToolNumber({
  path,
  scale = 1,
  ...labels
}: ToolFieldProps & {
  readonly scale?: number
  readonly unit?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly step?: number
  readonly placeholder?: string
}) {
  const { value, set, ...field } = useToolField(path)
  return (
    <NumberField
      {...labels}
      {...field}
      isOptional
      value={typeof value === 'number' ? value / scale : null}
      onChange={(number) => set(number === null ? undefined : Math.round(number * scale))}
    />
  )
}

/** Renders a switch. `fallback` applies if the tool does not have the field. */
export function ToolSwitch({ path, fallback = false, ...labels }: ToolFieldProps & { readonly fallback?: boolean }) {
  const { value, set, ...field } = useToolField(path)
  return <SwitchField {...labels} {...field} value={typeof value === 'boolean' ? value : fallback} onChange={set} />
}

/** Renders a select. `unsetLabel` adds a choice that removes the field. */
export function ToolSelect({
  path,
  choices,
  unsetLabel,
  ...labels
}: ToolFieldProps & { readonly choices: readonly Choice[]; readonly unsetLabel?: string }) {
  const { value, set, ...field } = useToolField(path)
  const allChoices = unsetLabel === undefined ? choices : [{ value: '', label: unsetLabel }, ...choices]
  return (
    <SelectField
      {...labels}
      {...field}
      choices={allChoices}
      value={toText(value)}
      onChange={(selected) => set(selected === '' ? undefined : selected)}
    />
  )
}

export function ToolPairs({ path, addLabel, ...labels }: ToolFieldProps & { readonly addLabel: string }) {
  const { value, set, ...field } = useToolField(path)
  return (
    <ObjectField
      {...labels}
      {...field}
      addLabel={addLabel}
      value={isObject(value) ? value : {}}
      onChange={(pairs) => set(Object.keys(pairs).length === 0 ? undefined : pairs)}
    />
  )
}

export function ToolLines({ path, ...labels }: ToolFieldProps) {
  const { value, set, ...field } = useToolField(path)
  const lines = Array.isArray(value) ? value.map(toText) : []
  return (
    <LinesField
      {...labels}
      {...field}
      value={lines}
      onChange={(newLines) => set(newLines.length === 0 ? undefined : newLines)}
    />
  )
}

/** Renders an optional JSON object. */
export function ToolJson({
  path,
  minimumHeight = '10rem',
  ...labels
}: ToolFieldProps & { readonly minimumHeight?: string }) {
  const { text, setText, ...field } = useToolJsonField(path)
  const formatProblem = useObjectProblemText()
  const problem = text.trim() === '' ? null : findObjectProblem(text)
  return (
    <CodeField
      {...labels}
      {...field}
      isOptional
      language="json"
      minHeight={minimumHeight}
      value={text}
      onChange={setText}
      {...(problem !== null && { error: formatProblem(problem) })}
    />
  )
}

export function ToolRecord({
  path,
  kinds,
  ...labels
}: ToolFieldProps & { readonly kinds: readonly [ChoiceKind, ChoiceKind] }) {
  const { value, set, ...field } = useToolField(path)
  const [firstSource, secondSource] = [useChoices(kinds[0]), useChoices(kinds[1])]
  const id = toText(value)
  return (
    <RecordField
      {...labels}
      {...field}
      value={id === '' ? null : id}
      onChange={set}
      choices={[...firstSource.choices, ...secondSource.choices]}
      isLoading={firstSource.isLoading || secondSource.isLoading}
    />
  )
}

export function FormGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-4 border-t border-line pt-4">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}
