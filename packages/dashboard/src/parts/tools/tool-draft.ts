import { createContext, useContext, useRef } from 'react'
import { isSame } from '../../lib/editing/draft-state.ts'
import { formatJson, isObject, readObject } from './json-text.ts'

/** An edited tool; unknown keys are kept. */
export type ToolFields = Readonly<Record<string, unknown>>

/** Edits of a tool, shared by its form and its JSON. */
export interface ToolDraft {
  /** The newest valid state. */
  readonly fields: ToolFields
  /** The typed JSON; null while it equals `fields`. */
  readonly text: string | null
  /** Typed parts that are not valid JSON yet, by path. */
  readonly partTexts: Readonly<Record<string, string>>
}

export function toToolDraft(fields: ToolFields): ToolDraft {
  return { fields, text: null, partTexts: {} }
}

/** Sets a field; `undefined` removes it. */
export function setField(draft: ToolDraft, path: string, value: unknown): ToolDraft {
  return { ...draft, fields: withValue(draft.fields, path.split('.'), value), text: null }
}

/** Sets a JSON part of the form; an empty text removes it. */
export function setPartText(draft: ToolDraft, path: string, text: string): ToolDraft {
  const { [path]: _before, ...others } = draft.partTexts
  const value = text.trim() === '' ? undefined : readObject(text)
  if (value === null) return { ...draft, partTexts: { ...others, [path]: text } }
  return { ...setField(draft, path, value), partTexts: others }
}

export function setText(draft: ToolDraft, text: string): ToolDraft {
  const fields = readObject(text)
  if (fields === null) return { ...draft, text }
  // A part changed here replaces unfinished text of the form.
  const kept = Object.entries(draft.partTexts).filter(([path]) =>
    isSame(valueAt(draft.fields, path), valueAt(fields, path)),
  )
  return { fields, text, partTexts: Object.fromEntries(kept) }
}

export function textOf({ text, fields }: ToolDraft): string {
  return text ?? formatJson(fields)
}

export function partTextOf({ partTexts, fields }: ToolDraft, path: string): string {
  const value = valueAt(fields, path)
  return partTexts[path] ?? (value === undefined ? '' : formatJson(value))
}

/** Whether `fields` has everything that was typed. */
export function isComplete({ text, partTexts }: ToolDraft): boolean {
  return Object.keys(partTexts).length === 0 && (text === null || readObject(text) !== null)
}

/** The value at a path of field names and element numbers, separated by dots. */
export function valueAt(fields: ToolFields, path: string): unknown {
  return path.split('.').reduce<unknown>((holder, key) => {
    if (Array.isArray(holder)) return holder[Number(key)]
    return isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
  }, fields)
}

function withValue(fields: ToolFields, [key = '', ...rest]: readonly string[], value: unknown): ToolFields {
  const changed = rest.length === 0 ? value : changedInside(fields[key], rest, value)
  if (changed !== undefined) return { ...fields, [key]: changed }
  const { [key]: _removed, ...others } = fields
  return others
}

function changedInside(holder: unknown, path: readonly string[], value: unknown): unknown {
  if (!Array.isArray(holder)) return withValue(isObject(holder) ? holder : {}, path, value)
  const [index, ...rest] = path
  return holder.map((element: unknown, at) => {
    if (at !== Number(index)) return element
    return rest.length === 0 ? value : changedInside(element, rest, value)
  })
}

/** Another variant of a part: its own fields as before, and the shared ones. */
export function switchVariant(
  from: ToolFields,
  to: { readonly type: string; readonly before: ToolFields; readonly shared: readonly string[] },
): ToolFields {
  const kept = Object.entries(from).filter(([name]) => to.shared.includes(name))
  const own = Object.entries(to.before).filter(([name]) => !to.shared.includes(name))
  return { ...Object.fromEntries([...own, ...kept]), type: to.type }
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
    name: nameOf(name, path),
    disabled,
    value: valueAt(draft.fields, path),
    set: (value) => onChange((current) => setField(current, path, value)),
  }
}

/** As the server writes it: `variables[0].name`. */
const nameOf = (tool: string, path: string): string => `${tool}.${path}`.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')

/** A JSON field of the tool as typed. */
export function useToolPart(path: string): Omit<BoundField, 'value' | 'set'> & {
  readonly text: string
  readonly setText: (text: string) => void
} {
  const { draft, onChange, disabled, name } = useToolForm()
  return {
    name: nameOf(name, path),
    disabled,
    text: partTextOf(draft, path),
    setText: (text) => onChange((current) => setPartText(current, path, text)),
  }
}

/** A part with several variants, distinguished by `type`; a variant keeps its fields while another is chosen. */
export function useVariant(path: string, shared: readonly string[] = []) {
  const { value, set, ...field } = useToolField(path)
  const seen = useRef<Record<string, ToolFields>>({})
  const current: ToolFields = isObject(value) ? value : {}
  const type = typeof current.type === 'string' ? current.type : ''
  return {
    ...field,
    type,
    /** `null` removes the part. */
    choose(chosen: string | null): void {
      seen.current[type] = current
      const before = seen.current[chosen ?? ''] ?? {}
      set(chosen === null ? undefined : switchVariant(current, { type: chosen, before, shared }))
    },
  }
}
