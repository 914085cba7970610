import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { JsonObject } from '../../ports.ts'
import { parseJsonObject } from '../json.ts'
import { createSafePattern } from './safe-pattern.ts'

/** A call's arguments, or a sentence that explains to the model why they are invalid. */
export type ParsedArguments =
  | { readonly valid: true; readonly args: JsonObject }
  | { readonly valid: false; readonly problem: string }

/** Limits of error messages, because the model controls their length. */
const MAX_SHOWN_PROBLEMS = 5
const PROBLEM_LIMIT_CHARACTERS = 300

type ArgumentValidator = ValidateFunction | 'anything'

/** Cached by schema object, because engines are immutable. */
const validators = new WeakMap<JsonObject, ArgumentValidator>()

/**
 * Parses and validates a model's arguments. Empty text counts as `{}`. An invalid schema, or a schema with external references,
 * accepts any object. Formats are not checked.
 */
export function parseToolArguments(argumentsText: string, schema: JsonObject): ParsedArguments {
  const value = argumentsText.trim() === '' ? {} : parseJsonObject(argumentsText)
  if (value === null) return { valid: false, problem: 'The arguments are not a valid JSON object.' }
  const validate = getValidator(schema)
  if (validate === 'anything' || validate(value)) return { valid: true, args: value }
  return { valid: false, problem: describeErrors(validate.errors ?? []) }
}

function getValidator(schema: JsonObject): ArgumentValidator {
  const cachedValidator = validators.get(schema)
  if (cachedValidator !== undefined) return cachedValidator
  const validator = compileValidator(schema)
  validators.set(schema, validator)
  return validator
}

function compileValidator(schema: JsonObject): ArgumentValidator {
  // An asynchronous validator would return a promise, which is always truthy.
  if (schema.$async !== undefined) return 'anything'
  const pattern = Object.assign(createSafePattern, { code: 'createSafePattern' })
  // A shared instance would keep every schema in memory.
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    validateFormats: false,
    validateSchema: false,
    logger: false,
    code: { regExp: pattern },
  })
  try {
    return ajv.compile(schema)
  } catch {
    return 'anything'
  }
}

function describeErrors(errors: readonly ErrorObject[]): string {
  const lines = errors.slice(0, MAX_SHOWN_PROBLEMS).map((error) => {
    const argumentPath = error.instancePath === '' ? 'arguments' : error.instancePath.slice(1).replaceAll('/', '.')
    return `${argumentPath} ${error.message ?? 'is not valid'}${listAllowedValues(error)}`.slice(
      0,
      PROBLEM_LIMIT_CHARACTERS,
    )
  })
  return `The arguments are not valid: ${lines.join('; ')}.`
}

function listAllowedValues(error: ErrorObject): string {
  const { allowedValues, additionalProperty } = error.params as Record<string, unknown>
  if (Array.isArray(allowedValues)) return `: ${allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
  return typeof additionalProperty === 'string' ? `: ${additionalProperty}` : ''
}
