import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '@parley/contract/errors'
import type { z } from 'zod'

/**
 * Plan that renames incoming keys to the contract's spelling. Snake, kebab and camel case match known keys. Free-form
 * objects stay unchanged.
 */
export type NamePlan =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'object'; readonly keys: ReadonlyMap<string, PlannedKey> }
  | { readonly kind: 'array'; readonly element: () => NamePlan }
  | {
      readonly kind: 'choice'
      readonly options: readonly (() => NamePlan)[]
      readonly choose: (value: object) => number
    }

/** A schema key. Incoming keys match its exact or collapsed spelling. */
interface PlannedKey {
  readonly name: string
  readonly plan: () => NamePlan
}

export interface NameReport {
  /** Paths of unknown keys. */
  readonly ignored: string[]
  /** Keys given in several spellings with different values. */
  readonly conflicts: ErrorDetail[]
}

const LEAF: NamePlan = { kind: 'leaf' }
const plans = new WeakMap<z.core.$ZodType, NamePlan>()

/** Returns the spelling shared by all variants of a name. */
export function collapseName(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase()
}

/** Builds a path such as `nodes[2].edges[0].id`. */
export function joinPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  return parent === '' ? key : `${parent}.${key}`
}

/** Compiles the name plan of a schema. Caches plans by schema object. */
export function compileNamePlan(schema: z.core.$ZodType): NamePlan {
  const cachedPlan = plans.get(schema)
  if (cachedPlan) return cachedPlan
  const plan = compilePlan(schema)
  plans.set(schema, plan)
  return plan
}

/** Returns a function that creates the plan on first use, because schemas can be recursive. */
function memoizePlan(createPlan: () => NamePlan): () => NamePlan {
  let plan: NamePlan | undefined
  return () => {
    plan ??= createPlan()
    return plan
  }
}

/** Returns the input schema without optional wrappers and transforms. */
export function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodTypes {
  const typedSchema = schema as z.core.$ZodTypes
  const { def } = typedSchema._zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return unwrapSchema(def.innerType)
    case 'pipe':
      return unwrapSchema(def.in)
    case 'lazy':
      return unwrapSchema(def.getter())
    default:
      return typedSchema
  }
}

function compilePlan(schema: z.core.$ZodType): NamePlan {
  const unwrappedSchema = unwrapSchema(schema)
  if (unwrappedSchema !== schema) return compileNamePlan(unwrappedSchema)
  const { def } = unwrappedSchema._zod
  switch (def.type) {
    case 'object': {
      const keys = new Map<string, PlannedKey>()
      for (const [name, child] of Object.entries(def.shape)) {
        const plannedKey = { name, plan: memoizePlan(() => compileNamePlan(child)) }
        keys.set(collapseName(name), plannedKey).set(name, plannedKey)
      }
      return { kind: 'object', keys }
    }
    case 'array':
      return { kind: 'array', element: memoizePlan(() => compileNamePlan(def.element)) }
    case 'union':
      return compileChoicePlan(def.options, (def as { discriminator?: string }).discriminator)
    default:
      return LEAF
  }
}

/**
 * Builds a plan that selects a union option by the discriminator, or without one, the first option that accepts the
 * value's kind.
 */
function compileChoicePlan(options: readonly z.core.$ZodType[], discriminator: string | undefined): NamePlan {
  const structuredOptions = options.filter((option) => compileNamePlan(option).kind !== 'leaf')
  if (structuredOptions.length === 0) return LEAF
  const optionPlans = structuredOptions.map((option) => memoizePlan(() => compileNamePlan(option)))
  if (discriminator === undefined) {
    return {
      kind: 'choice',
      options: optionPlans,
      choose: (value) => structuredOptions.findIndex((option) => matchesPlan(compileNamePlan(option), value)),
    }
  }
  const name = collapseName(discriminator)
  const values = structuredOptions.map(
    (option) => (option._zod.propValues?.[discriminator] ?? new Set()) as ReadonlySet<unknown>,
  )
  return {
    kind: 'choice',
    options: optionPlans,
    choose: (value) => {
      const key = Object.hasOwn(value, discriminator)
        ? discriminator
        : Object.keys(value).find((candidate) => collapseName(candidate) === name)
      if (key === undefined) return -1
      const discriminatorValue = (value as Record<string, unknown>)[key]
      return values.findIndex((allowedValues) => allowedValues.has(discriminatorValue))
    },
  }
}

function matchesPlan(plan: NamePlan, value: object): boolean {
  return plan.kind === 'choice' || (plan.kind === 'array') === Array.isArray(value)
}

/** Returns a copy with canonical names. Drops and reports unknown keys. */
export function normalizeNames(plan: NamePlan, value: unknown, report: NameReport, path = ''): unknown {
  if (plan.kind === 'leaf' || typeof value !== 'object' || value === null) return value
  if (plan.kind === 'choice') {
    const option = plan.options[plan.choose(value)]
    return option === undefined ? value : normalizeNames(option(), value, report, path)
  }
  if (plan.kind === 'array') {
    if (!Array.isArray(value)) return value
    const element = plan.element()
    if (element.kind === 'leaf') return value
    return value.map((item, index) => normalizeNames(element, item, report, joinPath(path, index)))
  }
  if (Array.isArray(value)) return value
  const result: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const plannedKey = plan.keys.get(key) ?? plan.keys.get(collapseName(key))
    if (plannedKey === undefined) {
      report.ignored.push(joinPath(path, key))
      continue
    }
    const { name } = plannedKey
    const childPlan = plannedKey.plan()
    // Builds paths only where a problem can be reported.
    const normalizedItem =
      childPlan.kind === 'leaf' ? item : normalizeNames(childPlan, item, report, joinPath(path, name))
    if (Object.hasOwn(result, name) && !isDeepStrictEqual(result[name], normalizedItem)) {
      const message = `was sent in several spellings with different values; send only "${name}"`
      report.conflicts.push({ path: joinPath(path, name), message })
    }
    result[name] = normalizedItem
  }
  return result
}

/** Aliases of query fields. An alias applies only if the operation has the canonical field and not the alias. */
const QUERY_ALIASES: Readonly<Record<string, string>> = {
  from: 'startDate',
  to: 'endDate',
  q: 'search',
  query: 'search',
  searchtext: 'search',
  responseenginetype: 'type',
  perpage: 'limit',
  pagesize: 'limit',
}

/** Builds the name plan of a query, including aliases. */
export function compileQueryPlan(schema: z.ZodObject): NamePlan {
  const plan = compileNamePlan(schema)
  if (plan.kind !== 'object') return plan
  const keys = new Map(plan.keys)
  for (const [alias, canonicalName] of Object.entries(QUERY_ALIASES)) {
    const plannedKey = plan.keys.get(collapseName(canonicalName))
    if (plannedKey !== undefined && !keys.has(alias)) keys.set(alias, plannedKey)
  }
  return { kind: 'object', keys }
}
