import type { SettingGroupName } from './setting-groups.ts'

/**
 * Settings of agents as plain data. A descriptor says once what a setting is; its schemas, its default, the option of the
 * engine, its field in the form and its row in the reference follow from it.
 */

interface SettingText {
  /** What the reference says. */
  readonly description: string
  /** Name of the option that conversations read; absent where the value is translated first. */
  readonly option?: string
  /** The turn machine takes the option as it is. */
  readonly isTurnOption?: true
  /** Section of the form. */
  readonly group: SettingGroupName
  readonly label: string
  /** One sentence below the label. */
  readonly help?: string
  /** A switch that has to be on before this counts. */
  readonly needs?: string
  /** Answers state the type alone, not its bounds. */
  readonly isUnboundedInResponses?: true
  /** Only edits carry it; an agent is created with the default. */
  readonly isUpdateOnly?: true
}

interface SwitchSetting {
  readonly type: 'switch'
  readonly default: boolean
}

/** `unit` says what the integer counts; the form shows milliseconds in `shownIn`, in steps of `step` of that. */
interface IntegerSetting {
  readonly type: 'integer'
  readonly minimum: number
  readonly maximum: number
  readonly default: number | null
  readonly unit?: 'ms' | 'days'
  readonly shownIn?: 'ms' | 's' | 'min'
  readonly step?: number
}

/** A share or a factor of what is usual, shown in percent. */
interface FactorSetting {
  readonly type: 'factor'
  readonly minimum: number
  readonly maximum: number
  readonly default: number
}

/** `unset` is the label of `null`. */
interface ChoiceSetting {
  readonly type: 'choice'
  readonly choices: Readonly<Record<string, string>>
  readonly default: string | null
  readonly unset?: string
}

/** A text of one line, or of several with `rows`. */
interface TextSetting {
  readonly type: 'text'
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxBytes?: number
  readonly default: string | null
  readonly rows?: number
  readonly inputType?: 'url'
  /** Shown while the field is empty; the same in every language. */
  readonly example?: string
}

/** A list of texts, one in a line. */
interface StringListSetting {
  readonly type: 'lines'
  readonly maxLength: number
  readonly maxItems: number
  readonly default: readonly string[]
  readonly example?: string
}

/** A value with a schema and a form component of its own. */
interface CustomSetting {
  readonly type: 'custom'
  readonly default: unknown
}

/** Has no default: whoever creates an agent names it. */
interface RequiredSetting {
  readonly type: 'required'
}

/** One setting: what it is in words, and the shape of its value. */
export type Setting = SettingText &
  (
    | SwitchSetting
    | IntegerSetting
    | FactorSetting
    | ChoiceSetting
    | TextSetting
    | StringListSetting
    | CustomSetting
    | RequiredSetting
  )

/** Settings by their names in bodies and answers, in the order of the reference and of the form. */
export type SettingList = Readonly<Record<string, Setting>>

/** Checks a list and keeps its literal types. */
export const defineSettings = <const Settings extends SettingList>(settings: Settings): Settings => settings

/** Settings whose schema their bounds do not say. */
export type CustomSettingName<Settings extends SettingList> = {
  [Name in keyof Settings]: Settings[Name]['type'] extends 'custom' | 'required' ? Name : never
}[keyof Settings]

type ScalarValue<One extends Setting> = One extends { readonly type: 'switch' }
  ? boolean
  : One extends { readonly type: 'integer' | 'factor' }
    ? number
    : One extends { readonly type: 'choice'; readonly choices: infer Choices }
      ? keyof Choices & string
      : One extends { readonly type: 'lines' }
        ? string[]
        : One extends { readonly type: 'text' }
          ? string
          : unknown
/** What a setting holds, as far as its descriptor says. */
export type ValueOf<One extends Setting> = One extends { readonly default: null }
  ? ScalarValue<One> | null
  : ScalarValue<One>

/** The words of a choice, in the order of the form. */
export function wordsOf<const Choices extends Readonly<Record<string, string>>>({
  choices,
}: {
  readonly choices: Choices
}): readonly (keyof Choices & string)[] {
  return Object.keys(choices)
}

/** The names of a list of settings, in its order. */
export function namesOf<Settings extends SettingList>(settings: Settings): readonly (keyof Settings & string)[] {
  return Object.keys(settings)
}

type SharedKey<Settings extends SettingList, Values> = keyof Settings & keyof Values
type PartialValues<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined }

/** What a body or a stored definition says about the settings; keys that are not given are absent. */
export function pickSettings<Settings extends SettingList, Values extends object>(
  settings: Settings,
  from: PartialValues<Values>,
): Partial<Pick<Values, SharedKey<Settings, Values>>> {
  const byName = from as Readonly<Record<string, unknown>>
  const given: Record<string, unknown> = {}
  for (const name in settings) if (byName[name] !== undefined) given[name] = byName[name]
  return given as Partial<Pick<Values, SharedKey<Settings, Values>>>
}

type Defaults<Settings extends SettingList> = {
  [Name in keyof Settings as Settings[Name]['type'] extends 'required' ? never : Name]: ValueOf<Settings[Name]>
}

/** A fresh copy of every default. Settings that whoever creates an agent names have none. */
export function defaultsOf<Settings extends SettingList>(settings: Settings): Defaults<Settings> {
  const defaults = Object.entries<Setting>(settings).flatMap(([name, setting]) =>
    setting.type === 'required' ? [] : [[name, structuredClone(setting.default)]],
  )
  return Object.fromEntries(defaults) as Defaults<Settings>
}

/** The settings as options of the engine: under the name of the option, with the value as agents have it. */
export type OptionsOf<Settings extends SettingList, Values> = {
  readonly [Name in SharedKey<Settings, Values> as Settings[Name] extends {
    readonly option: infer Option extends string
  }
    ? Option
    : never]: Values[Name] extends readonly (infer Item)[] ? readonly Item[] : Values[Name]
}

export function optionsOf<Settings extends SettingList, Values extends object>(
  settings: Settings,
  values: Values,
): OptionsOf<Settings, Values> {
  const byName = values as Readonly<Record<string, unknown>>
  const options = Object.entries<Setting>(settings).flatMap(([name, { option }]) =>
    option === undefined ? [] : [[option, byName[name]]],
  )
  return Object.fromEntries(options) as OptionsOf<Settings, Values>
}
