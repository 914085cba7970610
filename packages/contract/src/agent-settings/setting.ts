import type { SettingGroupName } from './setting-groups.ts'

/**
 * Agent settings as plain data. Each descriptor defines the setting's schemas, default, engine option, form field and reference
 * entry.
 */

interface SettingText {
  /** Description in the API reference. */
  readonly description: string
  /** Name of the engine option. Absent if the value is converted before the engine uses it. */
  readonly option?: string
  /** Set if the turn machine uses the option unchanged. */
  readonly isTurnOption?: true
  /** Section of the agent editor. */
  readonly group: SettingGroupName
  readonly label: string
  /** One sentence of help displayed below the label. */
  readonly help?: string
  /** Name of the switch that must be on for this setting to have an effect. */
  readonly needs?: string
  /** Set if responses declare only the type, without bounds. */
  readonly isUnboundedInResponses?: true
  /** Set if only a PATCH accepts the setting. New agents get the default. */
  readonly isUpdateOnly?: true
}

interface SwitchSetting {
  readonly type: 'switch'
  readonly default: boolean
}

/** An integer. Forms display milliseconds in the unit `shownIn`, with increments of `step`. */
interface IntegerSetting {
  readonly type: 'integer'
  readonly minimum: number
  readonly maximum: number
  readonly default: number | null
  readonly unit?: 'ms' | 'days'
  readonly shownIn?: 'ms' | 's' | 'min'
  readonly step?: number
}

/** A share or a multiple of the normal value, displayed as a percentage. */
interface FactorSetting {
  readonly type: 'factor'
  readonly minimum: number
  readonly maximum: number
  readonly default: number
}

/** A choice. `unset` is the label of `null`. */
interface ChoiceSetting {
  readonly type: 'choice'
  readonly choices: Readonly<Record<string, string>>
  readonly default: string | null
  readonly unset?: string
}

/** A single-line text, or a multi-line text if `rows` is set. */
interface TextSetting {
  readonly type: 'text'
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxBytes?: number
  readonly default: string | null
  readonly rows?: number
  readonly inputType?: 'url'
  /** Placeholder of the empty field. It is not translated. */
  readonly example?: string
}

/** A list of texts, displayed with one text per line. */
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

/** A setting without a default, which is required to create an agent. */
interface RequiredSetting {
  readonly type: 'required'
}

/** A setting: its texts and the type of its value. */
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

/** Checks a list of settings and preserves its literal types. */
export const defineSettings = <const Settings extends SettingList>(settings: Settings): Settings => settings

/** Settings with a schema that the descriptor cannot express. */
export type CustomSettingName<Settings extends SettingList> = {
  [Name in keyof Settings]: Settings[Name]['type'] extends 'custom' | 'required' ? Name : never
}[keyof Settings]

type ScalarValue<Descriptor extends Setting> = Descriptor extends { readonly type: 'switch' }
  ? boolean
  : Descriptor extends { readonly type: 'integer' | 'factor' }
    ? number
    : Descriptor extends { readonly type: 'choice'; readonly choices: infer Choices }
      ? keyof Choices & string
      : Descriptor extends { readonly type: 'lines' }
        ? string[]
        : Descriptor extends { readonly type: 'text' }
          ? string
          : unknown
/** Type of a setting's value, as far as the descriptor determines the type. */
export type ValueOf<One extends Setting> = One extends { readonly default: null }
  ? ScalarValue<One> | null
  : ScalarValue<One>

/** Returns the values of a choice, in the order of the form. */
export function listChoices<const Choices extends Readonly<Record<string, string>>>({
  choices,
}: {
  readonly choices: Choices
}): readonly (keyof Choices & string)[] {
  return Object.keys(choices)
}

/** Returns the names of settings, in order. */
export function listSettingNames<Settings extends SettingList>(
  settings: Settings,
): readonly (keyof Settings & string)[] {
  return Object.keys(settings)
}

type SharedKey<Settings extends SettingList, Values> = keyof Settings & keyof Values
type PartialValues<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined }

/** Returns the settings that a body or stored definition contains, without undefined values. */
export function pickSettings<Settings extends SettingList, Values extends object>(
  settings: Settings,
  source: PartialValues<Values>,
): Partial<Pick<Values, SharedKey<Settings, Values>>> {
  const valuesByName = source as Readonly<Record<string, unknown>>
  const pickedSettings: Record<string, unknown> = {}
  for (const name in settings) if (valuesByName[name] !== undefined) pickedSettings[name] = valuesByName[name]
  return pickedSettings as Partial<Pick<Values, SharedKey<Settings, Values>>>
}

type Defaults<Settings extends SettingList> = {
  [Name in keyof Settings as Settings[Name]['type'] extends 'required' ? never : Name]: ValueOf<Settings[Name]>
}

/** Returns a new copy of all defaults. Omits required settings, which have none. */
export function copyDefaults<Settings extends SettingList>(settings: Settings): Defaults<Settings> {
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

export function toEngineOptions<Settings extends SettingList, Values extends object>(
  settings: Settings,
  values: Values,
): OptionsOf<Settings, Values> {
  const valuesByName = values as Readonly<Record<string, unknown>>
  const options = Object.entries<Setting>(settings).flatMap(([name, { option }]) =>
    option === undefined ? [] : [[option, valuesByName[name]]],
  )
  return Object.fromEntries(options) as OptionsOf<Settings, Values>
}
