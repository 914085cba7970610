import { createContext, useContext, useRef } from 'react'
import { isObject } from './json-text.ts'
import {
  partTextOf,
  setField,
  setPartText,
  switchVariant,
  type ToolDraft,
  type ToolFields,
  valueAt,
} from './tool-draft.ts'

/** What the fields of a tool's form share. */
export interface ToolForm {
  readonly draft: ToolDraft
  readonly onChange: (change: (draft: ToolDraft) => ToolDraft) => void
  readonly disabled: boolean
  /** Name of the tool in the body that is sent, such as `general_tools[2]`. */
  readonly name: string
}

export const ToolFormContext = createContext<ToolForm | null>(null)

function useToolForm(): ToolForm {
  const form = useContext(ToolFormContext)
  if (form === null) throw new Error('This field belongs into the form of a tool.')
  return form
}

/** One field of the tool, by its path. */
export interface BoundField {
  /** Name in the body that is sent. */
  readonly name: string
  readonly disabled: boolean
  readonly value: unknown
  /** `undefined` takes the field away. */
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

/** A field of the tool that is JSON, as it is typed. */
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

/** A part of the tool that is one of several variants, told apart by `type`. What a variant held is there again when it is chosen again. */
export function useVariant(path: string, shared: readonly string[] = []) {
  const { value, set, ...field } = useToolField(path)
  const seen = useRef<Record<string, ToolFields>>({})
  const current: ToolFields = isObject(value) ? value : {}
  const type = typeof current.type === 'string' ? current.type : ''
  return {
    ...field,
    type,
    /** `null` takes the part away. */
    choose(chosen: string | null): void {
      seen.current[type] = current
      const before = seen.current[chosen ?? ''] ?? {}
      set(chosen === null ? undefined : switchVariant(current, { type: chosen, before, shared }))
    },
  }
}
