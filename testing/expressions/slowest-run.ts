import { createContext, runInContext } from 'node:vm'
import { type AttackText, createAttackTexts, writeAttack } from './attack-texts.ts'
import type { SourceExpression } from './source-expressions.ts'

export interface SlowRun {
  /** Duration; `Infinity` if the run was terminated. */
  readonly ms: number
  readonly attack: AttackText
}

/** Longer texts are tried only if a shorter text was suspiciously slow. */
const SHORT = { length: 2_048, suspiciousMs: 0.04 }
const MIDDLE = { length: 16_384, suspiciousMs: 1.5 }
const FULL_LENGTH = 65_536
const REPEATS = 5
/** Time limit that allows for a busy machine, where all texts of one expression can take seconds. */
const HARD_LIMIT_MS = 20_000

/**
 * Returns the first text on which an expression takes longer than allowed, over all its attacks, or `null` if there is none.
 */
export function findSlowRun({ pattern, flags }: SourceExpression, allowedMs: number): SlowRun | null {
  const expression = new RegExp(pattern, flags)
  let current: AttackText = { prefix: '', unit: ' ', suffix: '' }
  const search = (): SlowRun | null => {
    for (const attack of createAttackTexts(pattern, flags)) {
      current = attack
      const measureTime = (length: number, limitMs: number): number => {
        const text = getAttackText(attack, length)
        return measureFastestRun(() => runExpression(expression, text), limitMs)
      }
      if (measureTime(SHORT.length, SHORT.suspiciousMs) < SHORT.suspiciousMs) continue
      if (measureTime(MIDDLE.length, MIDDLE.suspiciousMs) < MIDDLE.suspiciousMs) continue
      const ms = measureTime(FULL_LENGTH, allowedMs)
      if (ms > allowedMs) return { ms, attack }
    }
    return null
  }
  try {
    return runInContext('search()', createContext({ search }), { timeout: HARD_LIMIT_MS })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    return { ms: Number.POSITIVE_INFINITY, attack: current }
  }
}

/** Returns the CPU time of the thread, which does not depend on how busy the machine is. */
function readThreadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Repeats a run that exceeds the limit, since compilation and garbage collection slow down single runs. */
export function measureFastestRun(run: () => unknown, limitMs: number, maxRuns = REPEATS): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let count = 0; count < maxRuns && fastest > limitMs; count++) {
    const startMs = readThreadMs()
    run()
    fastest = Math.min(fastest, readThreadMs() - startMs)
  }
  return fastest
}

/** Runs an expression as the product does: a global expression over the whole text, and any other once from the start. */
function runExpression(expression: RegExp, text: string): void {
  expression.lastIndex = 0
  if (expression.global) text.replace(expression, '')
  else expression.exec(text)
}

const attackTexts = new Map<string, string>()

/** Returns an attack text, cached so that all expressions share it. */
function getAttackText(attack: AttackText, length: number): string {
  if (attack.prefix !== '' || attack.suffix !== '') return writeAttack(attack, length)
  const key = `${length} ${attack.unit}`
  const text = attackTexts.get(key) ?? writeAttack(attack, length)
  attackTexts.set(key, text)
  return text
}
