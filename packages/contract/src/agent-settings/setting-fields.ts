import { z } from 'zod'
import { clearable, integer, orDefault, text } from '../fields.ts'
import { type CustomSettingName, copyDefaults, type Setting, type SettingList, type ValueOf } from './setting.ts'

/** Schemas of settings in create bodies, PATCH bodies and responses. */

/** A schema that a descriptor cannot express. `response` is set if responses differ from bodies. */
export interface CustomSchema {
  readonly body: z.ZodType
  readonly response?: z.ZodType
}
type CustomSchemas<Settings extends SettingList> = { readonly [Name in CustomSettingName<Settings>]: CustomSchema } & {
  readonly [Name in keyof Settings]?: CustomSchema
}

type BodySchema<Descriptor extends Setting, Custom> = Custom extends { readonly body: infer Schema extends z.ZodType }
  ? Schema
  : z.ZodType<ValueOf<Descriptor>, ValueOf<Descriptor>>
type ResponseSchema<One extends Setting, Own> = Own extends { readonly response: infer Schema extends z.ZodType }
  ? Schema
  : BodySchema<One, Own>
type SchemasOf<Settings extends SettingList, Own> = {
  [Name in keyof Settings]: BodySchema<Settings[Name], Name extends keyof Own ? Own[Name] : undefined>
}

type Created<Schema extends z.ZodType> =
  null extends z.output<Schema> ? z.ZodDefault<Schema> : ReturnType<typeof orDefault<Schema>>
type Changed<Schema extends z.ZodType> =
  null extends z.output<Schema> ? z.ZodOptional<Schema> : ReturnType<typeof clearable<Schema>>

type CreateFields<Settings extends SettingList, Schemas> = {
  [Name in keyof Settings & keyof Schemas as Settings[Name] extends { readonly isUpdateOnly: true }
    ? never
    : Name]: Schemas[Name] extends z.ZodType
    ? Settings[Name] extends { readonly type: 'required' }
      ? Schemas[Name]
      : Created<Schemas[Name]>
    : never
}
type UpdateFields<Settings extends SettingList, Schemas> = {
  [Name in keyof Settings & keyof Schemas]: Schemas[Name] extends z.ZodType
    ? Settings[Name] extends { readonly type: 'required' }
      ? z.ZodOptional<Schemas[Name]>
      : Changed<Schemas[Name]>
    : never
}

/** Schema fields for a list of settings. */
export interface SettingFields<Settings extends SettingList, Own> {
  /** Create fields. Omitted and null settings get their default. */
  readonly create: CreateFields<Settings, SchemasOf<Settings, Own>>
  /** PATCH fields. Omitted settings do not change; null resets a setting to its default. */
  readonly update: UpdateFields<Settings, SchemasOf<Settings, Own>>
  readonly response: {
    [Name in keyof Settings]: ResponseSchema<Settings[Name], Name extends keyof Own ? Own[Name] : undefined>
  }
}

/** Builds the fields for a list of settings; `customSchemas` contains schemas that descriptors cannot express. */
export function buildSettingFields<Settings extends SettingList, Custom extends CustomSchemas<Settings>>(
  settings: Settings,
  customSchemas: Custom,
): SettingFields<Settings, Custom> {
  const defaults: Readonly<Record<string, unknown>> = copyDefaults(settings)
  const create: Record<string, z.ZodType> = {}
  const update: Record<string, z.ZodType> = {}
  const response: Record<string, z.ZodType> = {}
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const customSchema = (customSchemas as Readonly<Record<string, CustomSchema | undefined>>)[name]
    const body = (customSchema?.body ?? buildBodySchema(setting)).describe(setting.description)
    response[name] = (customSchema?.response ?? customSchema?.body ?? buildResponseSchema(setting)).describe(
      setting.description,
    )
    const createDefault = () => structuredClone(defaults[name])
    update[name] =
      setting.type === 'required' || defaults[name] === null ? body.optional() : clearable(body, createDefault)
    if (setting.isUpdateOnly) continue
    if (setting.type === 'required') create[name] = body
    else create[name] = defaults[name] === null ? body.default(null as never) : orDefault(body, createDefault)
  }
  return { create, update, response } as object as SettingFields<Settings, Custom>
}

function buildBodySchema(setting: Setting): z.ZodType {
  const schema = buildBoundedSchema(setting)
  return isNullable(setting) ? schema.nullable() : schema
}

function buildResponseSchema(setting: Setting): z.ZodType {
  if (!setting.isUnboundedInResponses) return buildBodySchema(setting)
  const schema = setting.type === 'integer' ? z.int() : z.string()
  return isNullable(setting) ? schema.nullable() : schema
}

const isNullable = (setting: Setting): boolean => setting.type !== 'required' && setting.default === null

function buildBoundedSchema(setting: Setting): z.ZodType {
  switch (setting.type) {
    case 'switch':
      return z.boolean()
    case 'integer':
      return integer(setting.minimum, setting.maximum)
    case 'factor':
      return z.number().min(setting.minimum).max(setting.maximum)
    case 'choice':
      return z.enum(Object.keys(setting.choices))
    case 'text':
      return buildTextSchema(setting)
    case 'lines':
      return z.array(z.string().trim().min(1).max(setting.maxLength)).max(setting.maxItems)
    case 'custom':
    case 'required':
      throw new Error('This setting requires its own schema.')
  }
}

function buildTextSchema({ minLength, maxLength, maxBytes }: Extract<Setting, { type: 'text' }>): z.ZodType {
  const schema = maxBytes === undefined ? z.string() : text(maxBytes)
  const boundedSchema = minLength === undefined ? schema : schema.min(minLength)
  return maxLength === undefined ? boundedSchema : boundedSchema.max(maxLength)
}
