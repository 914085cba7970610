import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '@parley/contract/errors'
import type { z } from 'zod'

/**
 * Renames incoming keys to the contract's spelling before validation: snake, kebab and camel case are one name where the
 * schema knows the key. Free-form objects (records, unknown) are never touched.
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

/** A key of the schema, found by its own spelling and by the one that all its twins share. */
interface PlannedKey {
  readonly name: string
  readonly plan: () => NamePlan
}

export interface NameReport {
  /** Paths of keys that the schema does not know. */
  readonly ignored: string[]
  /** Keys given twice in different spellings with different values. */
  readonly conflicts: ErrorDetail[]
}

const LEAF: NamePlan = { kind: 'leaf' }
const plans = new WeakMap<z.core.$ZodType, NamePlan>()

/** The one spelling that all twins of a name share. */
export function collapse(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase()
}

/** Paths read `nodes[2].edges[0].id`. */
export function joinPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  return parent === '' ? key : `${parent}.${key}`
}

/** Compiles the plan of a schema, once per schema object. */
export function namePlan(schema: z.core.$ZodType): NamePlan {
  const known = plans.get(schema)
  if (known) return known
  const plan = compilePlan(schema)
  plans.set(schema, plan)
  return plan
}

/** Schemas may refer to themselves, so that the plan of a part is made when it is first needed. */
function once(make: () => NamePlan): () => NamePlan {
  let made: NamePlan | undefined
  return () => {
    made ??= make()
    return made
  }
}

function compilePlan(schema: z.core.$ZodType): NamePlan {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object': {
      const keys = new Map<string, PlannedKey>()
      for (const [name, child] of Object.entries(def.shape)) {
        const planned = { name, plan: once(() => namePlan(child)) }
        keys.set(collapse(name), planned).set(name, planned)
      }
      return { kind: 'object', keys }
    }
    case 'array':
      return { kind: 'array', element: once(() => namePlan(def.element)) }
    case 'union':
      return choicePlan(def.options, (def as { discriminator?: string }).discriminator)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return namePlan(def.innerType)
    case 'pipe':
      return namePlan(def.in)
    case 'lazy':
      return namePlan(def.getter())
    default:
      return LEAF
  }
}

/** A union renames by the option that its discriminator names, else by the first option of the value's kind. */
function choicePlan(options: readonly z.core.$ZodType[], discriminator: string | undefined): NamePlan {
  const structured = options.filter((option) => namePlan(option).kind !== 'leaf')
  if (structured.length === 0) return LEAF
  const lazy = structured.map((option) => once(() => namePlan(option)))
  if (discriminator === undefined) {
    return {
      kind: 'choice',
      options: lazy,
      choose: (value) => structured.findIndex((option) => matchesPlan(namePlan(option), value)),
    }
  }
  const name = collapse(discriminator)
  const values = structured.map(
    (option) => (option._zod.propValues?.[discriminator] ?? new Set()) as ReadonlySet<unknown>,
  )
  return {
    kind: 'choice',
    options: lazy,
    choose: (value) => {
      const key = Object.hasOwn(value, discriminator)
        ? discriminator
        : Object.keys(value).find((other) => collapse(other) === name)
      if (key === undefined) return -1
      const given = (value as Record<string, unknown>)[key]
      return values.findIndex((allowed) => allowed.has(given))
    },
  }
}

function matchesPlan(plan: NamePlan, value: object): boolean {
  return plan.kind === 'choice' || (plan.kind === 'array') === Array.isArray(value)
}

/** Applies a plan: a copy with canonical names; unknown keys are left out and reported. */
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
    const target = plan.keys.get(key) ?? plan.keys.get(collapse(key))
    if (target === undefined) {
      report.ignored.push(joinPath(path, key))
      continue
    }
    const { name } = target
    const child = target.plan()
    // Paths are only made where something below may be reported: most values are leaves.
    const normalized = child.kind === 'leaf' ? item : normalizeNames(child, item, report, joinPath(path, name))
    if (Object.hasOwn(result, name) && !isDeepStrictEqual(result[name], normalized)) {
      const message = `is given twice in different spellings with different values; send only "${name}"`
      report.conflicts.push({ path: joinPath(path, name), message })
    }
    result[name] = normalized
  }
  return result
}

/** Other words for query fields, applied where the operation knows the canonical one and not the word itself. */
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

/** Adds the aliases to the plan of a query schema. */
export function queryPlan(schema: z.ZodObject): NamePlan {
  const plan = namePlan(schema)
  if (plan.kind !== 'object') return plan
  const keys = new Map(plan.keys)
  for (const [alias, canonical] of Object.entries(QUERY_ALIASES)) {
    const target = plan.keys.get(collapse(canonical))
    if (target !== undefined && !keys.has(alias)) keys.set(alias, target)
  }
  return { kind: 'object', keys }
}
