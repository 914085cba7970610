import type { JsonValue } from '../../ports.ts'
import { parseJson } from '../json.ts'
import { parseJsonPath, readJsonPath } from './json-path.ts'

/** A lookup that returns a variable's value, or `undefined` if the variable is unset. */
export type VariableLookup = (name: string) => string | undefined

/** Values with the highest precedence. `null` unsets a variable. */
export type VariableOverrides = Readonly<Record<string, string | null>>

/** Variables by source, in ascending precedence. System variables are computed on demand. */
export interface VariableLayers {
  readonly system: VariableLookup
  readonly engineDefaults: Readonly<Record<string, string>>
  readonly given: Readonly<Record<string, string>>
  readonly collected: Readonly<Record<string, string>>
  readonly override: VariableOverrides
}

/**
 * Merges the layers: system < engine defaults < given < collected < override. An unknown dotted name is read as a path into the
 * JSON value of the variable before its first dot or bracket. An empty value counts as set.
 */
export function mergeVariables(layers: VariableLayers): VariableLookup {
  const records = [layers.override, layers.collected, layers.given, layers.engineDefaults]
  const parsedContainers = new Map<string, JsonValue | undefined>()
  const lookUpDirectly = (name: string): string | undefined => {
    for (const record of records) if (Object.hasOwn(record, name)) return record[name] ?? undefined
    return layers.system(name)
  }
  // Parsed once, because a template may refer to a large value many times.
  const getContainer = (containerName: string): JsonValue | undefined => {
    if (!parsedContainers.has(containerName))
      parsedContainers.set(containerName, parseContainer(lookUpDirectly(containerName)))
    return parsedContainers.get(containerName)
  }
  return (name) => {
    const value = lookUpDirectly(name)
    if (value !== undefined) return value
    const splitIndex = name.search(/[.[]/)
    if (splitIndex <= 0) return undefined
    const container = getContainer(name.slice(0, splitIndex))
    if (container === undefined) return undefined
    const steps = parseJsonPath(`$${name.slice(splitIndex)}`)
    const nestedValue = steps === null ? undefined : readJsonPath(container, steps)
    if (nestedValue === undefined || nestedValue === null) return undefined
    return typeof nestedValue === 'string' ? nestedValue : JSON.stringify(nestedValue)
  }
}

function parseContainer(text: string | undefined): JsonValue | undefined {
  return text === undefined || !/^\s*[[{]/.test(text) ? undefined : parseJson(text)
}

/** An expression with an open `{{`. */
interface OpenExpression {
  /** Position of the braces in the template. */
  readonly start: number
  /** The text read so far, with inner expressions replaced. */
  text: string
  /** Depth of nested expressions. */
  depth: number
}

/**
 * Replaces `{{name}}`, `{{customer.name}}`, `{{name | default}}` and `{{current_time_{{zone}}}}` (one level of nesting). Unset
 * expressions stay unchanged, and substituted text is not scanned again. Runs in linear time.
 */
export function renderTemplate(template: string, lookup: VariableLookup): string {
  if (!template.includes('{{')) return template
  const stack: OpenExpression[] = [{ start: 0, text: '', depth: 0 }]
  let position = 0
  for (const match of template.matchAll(/\{{2,}|\}{2,}/g)) {
    appendText(stack, template.slice(position, match.index))
    position = match.index + match[0].length
    if (match[0].startsWith('{')) openExpressions(stack, match[0], match.index)
    else closeExpressions({ template, lookup, stack }, match[0], match.index)
  }
  appendText(stack, template.slice(position))
  while (stack.length > 1) flattenExpression(stack)
  return stack[0]?.text ?? ''
}

interface Rendering {
  readonly template: string
  readonly lookup: VariableLookup
  readonly stack: OpenExpression[]
}

function appendText(stack: readonly OpenExpression[], text: string): void {
  const top = stack.at(-1)
  if (top !== undefined && text !== '') top.text += text
}

function openExpressions(stack: OpenExpression[], braces: string, index: number): void {
  // With an odd number of braces, the inner pairs open expressions. `{{{name}}}` is a value in braces, as in JSON templates.
  const oddCount = braces.length % 2
  appendText(stack, braces.slice(0, oddCount))
  for (let offset = oddCount; offset < braces.length; offset += 2)
    stack.push({ start: index + offset, text: '', depth: 0 })
}

function closeExpressions(rendering: Rendering, braces: string, index: number): void {
  let offset = 0
  while (offset + 2 <= braces.length && rendering.stack.length > 1) {
    offset += 2
    closeExpression(rendering, index + offset)
  }
  appendText(rendering.stack, braces.slice(offset))
}

function closeExpression({ template, lookup, stack }: Rendering, end: number): void {
  const expression = stack.at(-1)
  // Names contain no line breaks and at most one level of nesting. Other braces are plain text.
  if (expression === undefined || expression.depth > 1 || expression.text.includes('\n')) {
    flattenExpression(stack)
    appendText(stack, '}}')
    return
  }
  stack.pop()
  appendText(stack, evaluateExpression(expression.text, lookup) ?? template.slice(expression.start, end))
  const parent = stack.at(-1)
  if (parent !== undefined) parent.depth = Math.max(parent.depth, expression.depth + 1)
}

/** Converts the innermost open expression back to text. */
function flattenExpression(stack: OpenExpression[]): void {
  const expression = stack.pop()
  if (expression === undefined) return
  appendText(stack, '{{')
  appendText(stack, expression.text)
  const parent = stack.at(-1)
  if (parent !== undefined) parent.depth = Math.max(parent.depth, expression.depth + 1)
}

function evaluateExpression(text: string, lookup: VariableLookup): string | undefined {
  const barIndex = text.indexOf('|')
  if (barIndex === -1) return lookup(text.trim())
  return lookup(text.slice(0, barIndex).trim()) ?? text.slice(barIndex + 1).trim()
}
