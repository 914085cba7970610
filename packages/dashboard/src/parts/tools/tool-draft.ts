import { createContext, useContext, useRef } from 'react'
import { isJsonEqual } from '../../lib/editing/draft-state.ts'
import { formatJson, isObject, parseObject } from './json-text.ts'

/** The fields of an edited tool, including unknown fields. */
export type ToolFields = Readonly<Record<string, unknown>>

/** Edits to a tool, shared by its form and its JSON. */
export interface ToolDraft {
  /** The latest valid fields. */
  readonly fields: ToolFields
  /** The JSON text that the user entered; null if it equals `fields`. */
  readonly text: string | null
  /** Entered texts of JSON fields that are not valid yet, by path. */
  readonly fieldTexts: Readonly<Record<string, string>>
}

export function toToolDraft(fields: ToolFields): ToolDraft {
  return { fields, text: null, fieldTexts: {} }
}

/** Sets a field; `undefined` removes it. */
export function setField(draft: ToolDraft, path: string, value: unknown): ToolDraft {
  return { ...draft, fields: setValueAt(draft.fields, path.split('.'), value), text: null }
}

/** Sets a JSON field from text. An empty text removes the field. */
export function setFieldText(draft: ToolDraft, path: string, text: string): ToolDraft {
  const { [path]: _previousText, ...otherFieldTexts } = draft.fieldTexts
  const value = text.trim() === '' ? undefined : parseObject(text)
  if (value === null) return { ...draft, fieldTexts: { ...otherFieldTexts, [path]: text } }
  return { ...setField(draft, path, value), fieldTexts: otherFieldTexts }
}

export function setJsonText(draft: ToolDraft, text: string): ToolDraft {
  const fields = parseObject(text)
  if (fields === null) return { ...draft, text }
  // Discards unfinished text for fields that the JSON has changed.
  const unchangedFieldTexts = Object.entries(draft.fieldTexts).filter(([path]) =>
    isJsonEqual(getValueAt(draft.fields, path), getValueAt(fields, path)),
  )
  return { fields, text, fieldTexts: Object.fromEntries(unchangedFieldTexts) }
}

export function getJsonText({ text, fields }: ToolDraft): string {
  return text ?? formatJson(fields)
}

export function getFieldText({ fieldTexts, fields }: ToolDraft, path: string): string {
  const value = getValueAt(fields, path)
  return fieldTexts[path] ?? (value === undefined ? '' : formatJson(value))
}

/** Whether `fields` contains all of the user's input. */
export function isValidDraft({ text, fieldTexts }: ToolDraft): boolean {
  return Object.keys(fieldTexts).length === 0 && (text === null || parseObject(text) !== null)
}

/** Returns the value at a path of field names and indexes, separated by dots. */
export function getValueAt(fields: ToolFields, path: string): unknown {
  return path.split('.').reduce<unknown>((container, key) => {
    if (Array.isArray(container)) return container[Number(key)]
    return isObject(container) && Object.hasOwn(container, key) ? container[key] : undefined
  }, fields)
}

function setValueAt(fields: ToolFields, [key = '', ...rest]: readonly string[], value: unknown): ToolFields {
  const newValue = rest.length === 0 ? value : setNestedValue(fields[key], rest, value)
  if (newValue !== undefined) return { ...fields, [key]: newValue }
  const { [key]: _removed, ...otherFields } = fields
  return otherFields
}

function setNestedValue(container: unknown, path: readonly string[], value: unknown): unknown {
  if (!Array.isArray(container)) return setValueAt(isObject(container) ? container : {}, path, value)
  const [index, ...rest] = path
  return container.map((element: unknown, elementIndex) => {
    if (elementIndex !== Number(index)) return element
    return rest.length === 0 ? value : setNestedValue(element, rest, value)
  })
}

/** Switches an object to another variant. Restores the variant's previous fields and keeps the shared fields. */
export function switchVariant(
  current: ToolFields,
  target: { readonly type: string; readonly previousFields: ToolFields; readonly sharedNames: readonly string[] },
): ToolFields {
  const sharedFields = Object.entries(current).filter(([name]) => target.sharedNames.includes(name))
  const restoredFields = Object.entries(target.previousFields).filter(([name]) => !target.sharedNames.includes(name))
  return { ...Object.fromEntries([...restoredFields, ...sharedFields]), type: target.type }
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

interface ToolFieldBinding {
  readonly name: string
  readonly disabled: boolean
  readonly value: unknown
  /** `undefined` removes the field. */
  set(value: unknown): void
}

export function useToolField(path: string): ToolFieldBinding {
  const { draft, onChange, disabled, name } = useToolForm()
  return {
    name: formatFieldName(name, path),
    disabled,
    value: getValueAt(draft.fields, path),
    set: (value) => onChange((current) => setField(current, path, value)),
  }
}

/** Formats a path as in API errors, such as `variables[0].name`. */
const formatFieldName = (tool: string, path: string): string => `${tool}.${path}`.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')

/** Binds a JSON field of the tool to the text that the user enters. */
export function useToolJsonField(path: string): Omit<ToolFieldBinding, 'value' | 'set'> & {
  readonly text: string
  readonly setText: (text: string) => void
} {
  const { draft, onChange, disabled, name } = useToolForm()
  return {
    name: formatFieldName(name, path),
    disabled,
    text: getFieldText(draft, path),
    setText: (text) => onChange((current) => setFieldText(current, path, text)),
  }
}

/** Binds an object whose `type` selects a variant. Selecting a variant again restores its previous fields. */
export function useVariant(path: string, sharedNames: readonly string[] = []) {
  const { value, set, ...field } = useToolField(path)
  const fieldsByType = useRef<Record<string, ToolFields>>({})
  const current: ToolFields = isObject(value) ? value : {}
  const type = typeof current.type === 'string' ? current.type : ''
  return {
    ...field,
    type,
    /** Selects a variant. `null` removes the object. */
    selectVariant(selected: string | null): void {
      fieldsByType.current[type] = current
      const previousFields = fieldsByType.current[selected ?? ''] ?? {}
      set(selected === null ? undefined : switchVariant(current, { type: selected, previousFields, sharedNames }))
    },
  }
}
