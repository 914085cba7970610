import { parentPort, workerData } from 'node:worker_threads'
import { loadDynamicExpressions } from './dynamic-expressions.ts'
import { findSlowRun } from './slowest-run.ts'
import { listExpressionLiterals, listProductFiles, type SourceExpression } from './source-expressions.ts'

export interface ExpressionReport {
  readonly expressions: number
  readonly slow: readonly string[]
}

const { allowedMs } = workerData as { readonly allowedMs: number }
const all = [...listProductFiles().flatMap(listExpressionLiterals), ...(await loadDynamicExpressions())]
const distinct = new Map<string, SourceExpression>()
for (const expression of all) {
  const key = `${expression.pattern}/${expression.flags}`
  if (!distinct.has(key)) distinct.set(key, expression)
}
const slow = [...distinct.values()].flatMap((expression) => {
  const found = findSlowRun(expression, allowedMs)
  if (found === null) return []
  const { place, pattern, flags } = expression
  const { prefix, unit, suffix } = found.attack
  const text = `${JSON.stringify(prefix)} + ${JSON.stringify(unit)}… + ${JSON.stringify(suffix)}`
  return [`${place}: /${pattern.slice(0, 120)}/${flags} takes ${Math.round(found.ms)} ms on ${text.slice(0, 200)}`]
})
parentPort?.postMessage({ expressions: all.length, slow } satisfies ExpressionReport)
