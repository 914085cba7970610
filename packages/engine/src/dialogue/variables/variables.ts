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
  const parsed = new Map<string, JsonValue | undefined>()
  const direct = (name: string): string | undefined => {
    for (const record of records) if (Object.hasOwn(record, name)) return record[name] ?? undefined
    return layers.system(name)
  }
  // Parsed once, because a template may refer to a large value many times.
  const parsedHead = (head: string): JsonValue | undefined => {
    if (!parsed.has(head)) parsed.set(head, parseContainer(direct(head)))
    return parsed.get(head)
  }
  return (name) => {
    const value = direct(name)
    if (value !== undefined) return value
    const split = name.search(/[.[]/)
    if (split <= 0) return undefined
    const container = parsedHead(name.slice(0, split))
    if (container === undefined) return undefined
    const steps = parseJsonPath(`$${name.slice(split)}`)
    const found = steps === null ? undefined : readJsonPath(container, steps)
    if (found === undefined || found === null) return undefined
    return typeof found === 'string' ? found : JSON.stringify(found)
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
  height: number
}

/**
 * Replaces `{{name}}`, `{{customer.name}}`, `{{name | default}}` and `{{current_time_{{zone}}}}` (one level of nesting). Unset
 * expressions stay unchanged, and substituted text is not scanned again. Runs in linear time.
 */
export function renderTemplate(template: string, lookup: VariableLookup): string {
  if (!template.includes('{{')) return template
  const stack: OpenExpression[] = [{ start: 0, text: '', height: 0 }]
  let at = 0
  for (const match of template.matchAll(/\{{2,}|\}{2,}/g)) {
    appendText(stack, template.slice(at, match.index))
    at = match.index + match[0].length
    if (match[0].startsWith('{')) openAll(stack, match[0], match.index)
    else closeAll({ template, lookup, stack }, match[0], match.index)
  }
  appendText(stack, template.slice(at))
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

function openAll(stack: OpenExpression[], braces: string, index: number): void {
  // With an odd number of braces, the inner pairs open expressions. `{{{name}}}` is a value in braces, as in JSON templates.
  const odd = braces.length % 2
  appendText(stack, braces.slice(0, odd))
  for (let at = odd; at < braces.length; at += 2) stack.push({ start: index + at, text: '', height: 0 })
}

function closeAll(rendering: Rendering, braces: string, index: number): void {
  let at = 0
  while (at + 2 <= braces.length && rendering.stack.length > 1) {
    at += 2
    closeExpression(rendering, index + at)
  }
  appendText(rendering.stack, braces.slice(at))
}

function closeExpression({ template, lookup, stack }: Rendering, end: number): void {
  const expression = stack.at(-1)
  // Names have one line and one level of nesting; other braces are plain text around expressions.
  if (expression === undefined || expression.height > 1 || expression.text.includes('\n')) {
    flattenExpression(stack)
    appendText(stack, '}}')
    return
  }
  stack.pop()
  appendText(stack, evaluateExpression(expression.text, lookup) ?? template.slice(expression.start, end))
  const parent = stack.at(-1)
  if (parent !== undefined) parent.height = Math.max(parent.height, expression.height + 1)
}

/** Converts the innermost open expression back to text. */
function flattenExpression(stack: OpenExpression[]): void {
  const expression = stack.pop()
  if (expression === undefined) return
  appendText(stack, '{{')
  appendText(stack, expression.text)
  const parent = stack.at(-1)
  if (parent !== undefined) parent.height = Math.max(parent.height, expression.height + 1)
}

function evaluateExpression(text: string, lookup: VariableLookup): string | undefined {
  const bar = text.indexOf('|')
  if (bar === -1) return lookup(text.trim())
  return lookup(text.slice(0, bar).trim()) ?? text.slice(bar + 1).trim()
}
