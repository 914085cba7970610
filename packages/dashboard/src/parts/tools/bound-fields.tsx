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
import { useToolField, useToolPart } from './tool-draft.ts'

interface Bound {
  readonly path: string
  readonly label: string
  readonly help?: string
}

interface Optional extends Bound {
  /** An empty text removes the field. */
  readonly isOptional?: boolean
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

export function ToolText({ path, isOptional = false, ...labels }: Optional & { readonly placeholder?: string }) {
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
export function ToolTextArea({ path, isOptional = false, ...labels }: Optional) {
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
}: Bound & {
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
      onChange={(displayed) => set(displayed === null ? undefined : Math.round(displayed * scale))}
    />
  )
}

/** Renders a switch. `absent` is the value if the tool has no such field. */
export function ToolSwitch({ path, absent = false, ...labels }: Bound & { readonly absent?: boolean }) {
  const { value, set, ...field } = useToolField(path)
  return <SwitchField {...labels} {...field} value={typeof value === 'boolean' ? value : absent} onChange={set} />
}

/** Renders a select. `absentLabel` adds a choice that removes the field. */
export function ToolSelect({
  path,
  choices,
  absentLabel,
  ...labels
}: Bound & { readonly choices: readonly Choice[]; readonly absentLabel?: string }) {
  const { value, set, ...field } = useToolField(path)
  const all = absentLabel === undefined ? choices : [{ value: '', label: absentLabel }, ...choices]
  return (
    <SelectField
      {...labels}
      {...field}
      choices={all}
      value={toText(value)}
      onChange={(selected) => set(selected === '' ? undefined : selected)}
    />
  )
}

export function ToolPairs({ path, addLabel, ...labels }: Bound & { readonly addLabel: string }) {
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

export function ToolLines({ path, ...labels }: Bound) {
  const { value, set, ...field } = useToolField(path)
  const lines = Array.isArray(value) ? value.map(toText) : []
  return (
    <LinesField
      {...labels}
      {...field}
      value={lines}
      onChange={(typed) => set(typed.length === 0 ? undefined : typed)}
    />
  )
}

/** Renders an optional JSON object. */
export function ToolJson({ path, minimumHeight = '10rem', ...labels }: Bound & { readonly minimumHeight?: string }) {
  const { text, setText, ...field } = useToolPart(path)
  const words = useObjectProblemText()
  const problem = text.trim() === '' ? null : findObjectProblem(text)
  return (
    <CodeField
      {...labels}
      {...field}
      isOptional
      language="json"
      minimumHeight={minimumHeight}
      value={text}
      onChange={setText}
      {...(problem !== null && { error: words(problem) })}
    />
  )
}

export function ToolRecord({ path, kinds, ...labels }: Bound & { readonly kinds: readonly [ChoiceKind, ChoiceKind] }) {
  const { value, set, ...field } = useToolField(path)
  const [first, second] = [useChoices(kinds[0]), useChoices(kinds[1])]
  const id = toText(value)
  return (
    <RecordField
      {...labels}
      {...field}
      value={id === '' ? null : id}
      onChange={set}
      choices={[...first.choices, ...second.choices]}
      isLoading={first.isLoading || second.isLoading}
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
