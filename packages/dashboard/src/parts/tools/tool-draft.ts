import { createContext, useContext, useRef } from 'react'
import { isJsonEqual } from '../../lib/editing/draft-state.ts'
import { formatJson, isObject, readObject } from './json-text.ts'

/** The fields of an edited tool, including unknown fields. */
export type ToolFields = Readonly<Record<string, unknown>>

/** Edits to a tool, shared by its form and its JSON. */
export interface ToolDraft {
  /** The latest valid state. */
  readonly fields: ToolFields
  /** The JSON text that the user entered; null if it equals `fields`. */
  readonly text: string | null
  /** Entered parts that are not valid JSON yet, by path. */
  readonly partTexts: Readonly<Record<string, string>>
}

export function toToolDraft(fields: ToolFields): ToolDraft {
  return { fields, text: null, partTexts: {} }
}

/** Sets a field; `undefined` removes it. */
export function setField(draft: ToolDraft, path: string, value: unknown): ToolDraft {
  return { ...draft, fields: setValueAt(draft.fields, path.split('.'), value), text: null }
}

/** Sets a JSON part of the form. An empty text removes the part. */
export function setPartText(draft: ToolDraft, path: string, text: string): ToolDraft {
  const { [path]: _before, ...otherPartTexts } = draft.partTexts
  const value = text.trim() === '' ? undefined : readObject(text)
  if (value === null) return { ...draft, partTexts: { ...otherPartTexts, [path]: text } }
  return { ...setField(draft, path, value), partTexts: otherPartTexts }
}

export function setText(draft: ToolDraft, text: string): ToolDraft {
  const fields = readObject(text)
  if (fields === null) return { ...draft, text }
  // A changed part replaces unfinished text in the form.
  const unchangedPartTexts = Object.entries(draft.partTexts).filter(([path]) =>
    isJsonEqual(getValueAt(draft.fields, path), getValueAt(fields, path)),
  )
  return { fields, text, partTexts: Object.fromEntries(unchangedPartTexts) }
}

export function getJsonText({ text, fields }: ToolDraft): string {
  return text ?? formatJson(fields)
}

export function getPartText({ partTexts, fields }: ToolDraft, path: string): string {
  const value = getValueAt(fields, path)
  return partTexts[path] ?? (value === undefined ? '' : formatJson(value))
}

/** Whether `fields` contains all of the user's input. */
export function isComplete({ text, partTexts }: ToolDraft): boolean {
  return Object.keys(partTexts).length === 0 && (text === null || readObject(text) !== null)
}

/** Returns the value at a path of field names and indexes, separated by dots. */
export function getValueAt(fields: ToolFields, path: string): unknown {
  return path.split('.').reduce<unknown>((holder, key) => {
    if (Array.isArray(holder)) return holder[Number(key)]
    return isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
  }, fields)
}

function setValueAt(fields: ToolFields, [key = '', ...rest]: readonly string[], value: unknown): ToolFields {
  const newValue = rest.length === 0 ? value : setValueInside(fields[key], rest, value)
  if (newValue !== undefined) return { ...fields, [key]: newValue }
  const { [key]: _removed, ...otherFields } = fields
  return otherFields
}

function setValueInside(holder: unknown, path: readonly string[], value: unknown): unknown {
  if (!Array.isArray(holder)) return setValueAt(isObject(holder) ? holder : {}, path, value)
  const [index, ...rest] = path
  return holder.map((element: unknown, elementIndex) => {
    if (elementIndex !== Number(index)) return element
    return rest.length === 0 ? value : setValueInside(element, rest, value)
  })
}

/** Switches to another variant of a part. Restores the variant's earlier fields and keeps the shared fields. */
export function switchVariant(
  from: ToolFields,
  to: { readonly type: string; readonly earlierFields: ToolFields; readonly shared: readonly string[] },
): ToolFields {
  const sharedFields = Object.entries(from).filter(([name]) => to.shared.includes(name))
  const restoredFields = Object.entries(to.earlierFields).filter(([name]) => !to.shared.includes(name))
  return { ...Object.fromEntries([...restoredFields, ...sharedFields]), type: to.type }
}

interface ToolForm {
  readonly draft: ToolDraft
  readonly onChange: (change: (draft: ToolDraft) => ToolDraft) => void
  readonly disabled: boolean
  /** Path of the tool in the request body, such as `general_tools[2]`. */
  readonly name: string
}

export const ToolFormContext = createContext<ToolForm | null>(null)

function useToolForm(): ToolForm {
  const form = useContext(ToolFormContext)
  if (form === null) throw new Error('This field must be inside a tool form.')
  return form
}

interface BoundField {
  readonly name: string
  readonly disabled: boolean
  readonly value: unknown
  /** `undefined` removes the field. */
  set(value: unknown): void
}

export function useToolField(path: string): BoundField {
  const { draft, onChange, disabled, name } = useToolForm()
  return {
    name: formatFieldName(name, path),
    disabled,
    value: getValueAt(draft.fields, path),
    set: (value) => onChange((current) => setField(current, path, value)),
  }
}

/** Formats a path like the server: `variables[0].name`. */
const formatFieldName = (tool: string, path: string): string => `${tool}.${path}`.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')

/** Binds a JSON field of the tool to the text that the user enters. */
export function useToolPart(path: string): Omit<BoundField, 'value' | 'set'> & {
  readonly text: string
  readonly setText: (text: string) => void
} {
  const { draft, onChange, disabled, name } = useToolForm()
  return {
    name: formatFieldName(name, path),
    disabled,
    text: getPartText(draft, path),
    setText: (text) => onChange((current) => setPartText(current, path, text)),
  }
}

/** Binds a part with several variants, distinguished by `type`. Each variant keeps its fields while another is selected. */
export function useVariant(path: string, shared: readonly string[] = []) {
  const { value, set, ...field } = useToolField(path)
  const previousFields = useRef<Record<string, ToolFields>>({})
  const current: ToolFields = isObject(value) ? value : {}
  const type = typeof current.type === 'string' ? current.type : ''
  return {
    ...field,
    type,
    /** Selects a variant. `null` removes the part. */
    choose(selected: string | null): void {
      previousFields.current[type] = current
      const earlierFields = previousFields.current[selected ?? ''] ?? {}
      set(selected === null ? undefined : switchVariant(current, { type: selected, earlierFields, shared }))
    },
  }
}
