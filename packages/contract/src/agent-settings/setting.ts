import type { SettingGroupName } from './setting-groups.ts'

/**
 * Agent settings as plain data. The schemas, default, engine option, form field and reference entry of a setting
 * derive from its descriptor.
 */

interface SettingText {
  /** Text of the reference. */
  readonly description: string
  /** Name of the engine option; absent if the value is converted first. */
  readonly option?: string
  /** The turn machine uses the option unchanged. */
  readonly isTurnOption?: true
  /** Section of the form. */
  readonly group: SettingGroupName
  readonly label: string
  /** One sentence of help below the label. */
  readonly help?: string
  /** Name of a switch that must be on for this setting to have an effect. */
  readonly needs?: string
  /** Responses declare only the type, without bounds. */
  readonly isUnboundedInResponses?: true
  /** Only accepted in a PATCH; new agents get the default. */
  readonly isUpdateOnly?: true
}

interface SwitchSetting {
  readonly type: 'switch'
  readonly default: boolean
}

/** Forms show milliseconds in the unit `shownIn`, with increments of `step`. */
interface IntegerSetting {
  readonly type: 'integer'
  readonly minimum: number
  readonly maximum: number
  readonly default: number | null
  readonly unit?: 'ms' | 'days'
  readonly shownIn?: 'ms' | 's' | 'min'
  readonly step?: number
}

/** A share or a multiple of the normal value, shown in percent. */
interface FactorSetting {
  readonly type: 'factor'
  readonly minimum: number
  readonly maximum: number
  readonly default: number
}

/** `unset` is the label for `null`. */
interface ChoiceSetting {
  readonly type: 'choice'
  readonly choices: Readonly<Record<string, string>>
  readonly default: string | null
  readonly unset?: string
}

/** A single-line text, or a multi-line text with `rows`. */
interface TextSetting {
  readonly type: 'text'
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxBytes?: number
  readonly default: string | null
  readonly rows?: number
  readonly inputType?: 'url'
  /** Placeholder of the empty field, not translated. */
  readonly example?: string
}

/** A list of texts, one per line. */
interface StringListSetting {
  readonly type: 'lines'
  readonly maxLength: number
  readonly maxItems: number
  readonly default: readonly string[]
  readonly example?: string
}

/** A value with its own schema and form component. */
interface CustomSetting {
  readonly type: 'custom'
  readonly default: unknown
}

/** A setting without a default: it is required to create an agent. */
interface RequiredSetting {
  readonly type: 'required'
}

/** A setting: its texts and the shape of its value. */
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

/** Settings by field name, in the order of the reference and the form. */
export type SettingList = Readonly<Record<string, Setting>>

/** Checks a list of settings and keeps its literal types. */
export const defineSettings = <const Settings extends SettingList>(settings: Settings): Settings => settings

/** Settings whose schema the descriptor cannot express. */
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
/** Type of the value, as far as the descriptor determines it. */
export type ValueOf<One extends Setting> = One extends { readonly default: null }
  ? ScalarValue<One> | null
  : ScalarValue<One>

/** The values of a choice, in the order of the form. */
export function choicesOf<const Choices extends Readonly<Record<string, string>>>({
  choices,
}: {
  readonly choices: Choices
}): readonly (keyof Choices & string)[] {
  return Object.keys(choices)
}

/** The names of settings, in order. */
export function namesOf<Settings extends SettingList>(settings: Settings): readonly (keyof Settings & string)[] {
  return Object.keys(settings)
}

type SharedKey<Settings extends SettingList, Values> = keyof Settings & keyof Values
type PartialValues<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined }

/** The settings that a body or stored definition contains, without undefined ones. */
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

/** A new copy of all defaults. Required settings have none. */
export function defaultsOf<Settings extends SettingList>(settings: Settings): Defaults<Settings> {
  const defaults = Object.entries<Setting>(settings).flatMap(([name, setting]) =>
    setting.type === 'required' ? [] : [[name, structuredClone(setting.default)]],
  )
  return Object.fromEntries(defaults) as Defaults<Settings>
}

/** Settings as engine options, by option name. */
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
