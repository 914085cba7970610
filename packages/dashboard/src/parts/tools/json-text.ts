import { findJsonProblem, type JsonProblem } from '../../components/json-problem.ts'
import { useText } from '../../lib/language.ts'

export type ObjectProblem = JsonProblem | 'no-object'

export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON object. Returns null if the text is not a JSON object. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Returns why a text is not a JSON object, or null if it is one. */
export function findObjectProblem(text: string): ObjectProblem | null {
  return findJsonProblem(text) ?? (parseObject(text) === null ? 'no-object' : null)
}

export function useObjectProblemText(): (problem: ObjectProblem) => string {
  const t = useText()
  return (problem) => {
    if (problem === 'no-object') return t('This must be a JSON object in curly braces.')
    const { line, column, reason } = problem
    return t('Line {line}, column {column}: {reason}', { line, column, reason: t(reason) })
  }
}
