import { isSame } from '../../lib/editing/draft-state.ts'
import { isObject, printJson, readObject } from './json-text.ts'

/** A tool as a form edits it: whatever keys it has, those that no form knows stay. */
export type ToolFields = Readonly<Record<string, unknown>>

/** Edits of one tool, in a form and as JSON: what is typed in one stays when the other is shown. */
export interface ToolDraft {
  /** The newest state that makes sense. */
  readonly fields: ToolFields
  /** The whole tool as it is typed; null while it is what `fields` print. */
  readonly text: string | null
  /** Parts that are typed as JSON and are none yet, by their paths. */
  readonly partTexts: Readonly<Record<string, string>>
}

export function beginTool(fields: ToolFields): ToolDraft {
  return { fields, text: null, partTexts: {} }
}

/** A field of the form put to a value; `undefined` takes it away. */
export function setField(draft: ToolDraft, path: string, value: unknown): ToolDraft {
  return { ...draft, fields: withValue(draft.fields, path.split('.'), value), text: null }
}

/** A part of the form that is JSON. Nothing typed: the part is taken away. */
export function setPartText(draft: ToolDraft, path: string, text: string): ToolDraft {
  const { [path]: _before, ...others } = draft.partTexts
  const value = text.trim() === '' ? undefined : readObject(text)
  if (value === null) return { ...draft, partTexts: { ...others, [path]: text } }
  return { ...setField(draft, path, value), partTexts: others }
}

/** The whole tool typed as JSON. */
export function setText(draft: ToolDraft, text: string): ToolDraft {
  const fields = readObject(text)
  if (fields === null) return { ...draft, text }
  // What was half typed in the form is about the part as it was: a part that is changed here replaces it.
  const kept = Object.entries(draft.partTexts).filter(([path]) =>
    isSame(valueAt(draft.fields, path), valueAt(fields, path)),
  )
  return { fields, text, partTexts: Object.fromEntries(kept) }
}

/** The tool as JSON: as it was typed, or as it is printed. */
export function textOf({ text, fields }: ToolDraft): string {
  return text ?? printJson(fields)
}

/** The part as JSON: as it was typed, or as it is printed. */
export function partTextOf({ partTexts, fields }: ToolDraft, path: string): string {
  const value = valueAt(fields, path)
  return partTexts[path] ?? (value === undefined ? '' : printJson(value))
}

/** Whether everything that was typed is in `fields`. */
export function isComplete({ text, partTexts }: ToolDraft): boolean {
  return Object.keys(partTexts).length === 0 && (text === null || readObject(text) !== null)
}

/** What stands at a path: names of fields and numbers of elements, with dots between them. */
export function valueAt(fields: ToolFields, path: string): unknown {
  return path.split('.').reduce<unknown>((holder, key) => {
    if (Array.isArray(holder)) return holder[Number(key)]
    return isObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
  }, fields)
}

function withValue(fields: ToolFields, [key = '', ...rest]: readonly string[], value: unknown): ToolFields {
  const changed = rest.length === 0 ? value : changedInside(fields[key], rest, value)
  if (changed !== undefined) return { ...fields, [key]: changed }
  const { [key]: _gone, ...others } = fields
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

/** Another variant of a part: its own fields as they were last, with those that all variants have. */
export function switchVariant(
  from: ToolFields,
  to: { readonly type: string; readonly before: ToolFields; readonly shared: readonly string[] },
): ToolFields {
  const kept = Object.entries(from).filter(([name]) => to.shared.includes(name))
  const own = Object.entries(to.before).filter(([name]) => !to.shared.includes(name))
  return { ...Object.fromEntries([...own, ...kept]), type: to.type }
}
