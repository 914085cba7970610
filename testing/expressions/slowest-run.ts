import { createContext, runInContext } from 'node:vm'
import { type AttackText, attackTexts, writeAttack } from './attack-texts.ts'
import type { SourceExpression } from './source-expressions.ts'

export interface SlowRun {
  /** `Infinity`: it was ended. */
  readonly ms: number
  readonly attack: AttackText
}

/** Longer texts follow only where a shorter one took as long as a slow expression needs for it. */
const SHORT = { length: 2_048, suspiciousMs: 0.04 }
const MIDDLE = { length: 16_384, suspiciousMs: 1.5 }
const FULL_LENGTH = 65_536
const REPEATS = 5
/** On a busy machine all texts of one expression can take seconds of wall time. */
const HARD_LIMIT_MS = 20_000

/** The first text on which an expression takes longer than allowed, over all its attacks; `null` when there is none. */
export function findSlowRun({ pattern, flags }: SourceExpression, allowedMs: number): SlowRun | null {
  const expression = new RegExp(pattern, flags)
  let current: AttackText = { prefix: '', unit: ' ', suffix: '' }
  const search = (): SlowRun | null => {
    for (const attack of attackTexts(pattern, flags)) {
      current = attack
      const timeOf = (length: number, limitMs: number): number => {
        const text = attackText(attack, length)
        return fastestRun(() => run(expression, text), limitMs)
      }
      if (timeOf(SHORT.length, SHORT.suspiciousMs) < SHORT.suspiciousMs) continue
      if (timeOf(MIDDLE.length, MIDDLE.suspiciousMs) < MIDDLE.suspiciousMs) continue
      const ms = timeOf(FULL_LENGTH, allowedMs)
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

/** Time of the processor: how busy the machine is does not count. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Repeats a run over the limit, since compilation and garbage collection slow single runs down. */
export function fastestRun(work: () => unknown, limitMs: number): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let count = 0; count < REPEATS && fastest > limitMs; count++) {
    const startMs = threadMs()
    work()
    fastest = Math.min(fastest, threadMs() - startMs)
  }
  return fastest
}

/** As it is used: a global one over the whole text, any other once from the start. */
function run(expression: RegExp, text: string): void {
  expression.lastIndex = 0
  if (expression.global) text.replace(expression, '')
  else expression.exec(text)
}

const written = new Map<string, string>()

/** The same text for all expressions that are tried with it. */
function attackText(attack: AttackText, length: number): string {
  if (attack.prefix !== '' || attack.suffix !== '') return writeAttack(attack, length)
  const key = `${length} ${attack.unit}`
  const known = written.get(key) ?? writeAttack(attack, length)
  written.set(key, known)
  return known
}
