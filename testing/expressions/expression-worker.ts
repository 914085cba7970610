import { parentPort, workerData } from 'node:worker_threads'
import { loadDynamicExpressions } from './dynamic-expressions.ts'
import { findSlowRun } from './slowest-run.ts'
import { listExpressionLiterals, listProductFiles, type SourceExpression } from './source-expressions.ts'

export interface ExpressionReport {
  readonly expressions: number
  readonly slow: readonly string[]
}

const { allowedMs } = workerData as { readonly allowedMs: number }
const expressions = [...listProductFiles().flatMap(listExpressionLiterals), ...(await loadDynamicExpressions())]
const distinctExpressions = new Map<string, SourceExpression>()
for (const expression of expressions) {
  const key = `${expression.pattern}/${expression.flags}`
  if (!distinctExpressions.has(key)) distinctExpressions.set(key, expression)
}
const slow = [...distinctExpressions.values()].flatMap((expression) => {
  const slowRun = findSlowRun(expression, allowedMs)
  if (slowRun === null) return []
  const { location, pattern, flags } = expression
  const { prefix, unit, suffix } = slowRun.attack
  const text = `${JSON.stringify(prefix)} + ${JSON.stringify(unit)}… + ${JSON.stringify(suffix)}`
  return [`${location}: /${pattern.slice(0, 120)}/${flags} takes ${Math.round(slowRun.ms)} ms on ${text.slice(0, 200)}`]
})
parentPort?.postMessage({ expressions: expressions.length, slow } satisfies ExpressionReport)
