import type { Verdict } from './judge-mutation.ts'
import { AREAS, type Mutation } from './mutation.ts'

export type JudgedMutation = Pick<Mutation, 'id' | 'area' | 'behavior'> & Verdict & { readonly seconds: number }

/** The share of planted faults that the tests must catch. */
const REQUIRED_RATIO = 0.95

function isCaught({ outcome }: JudgedMutation): boolean {
  return outcome === 'caught' || outcome === 'hung'
}

function shareOf(judged: readonly JudgedMutation[]): number {
  return judged.filter(isCaught).length / judged.length
}

/** Whether the tests catch as many of the faults as they must. */
export function meetsThreshold(judged: readonly JudgedMutation[]): boolean {
  return shareOf(judged) >= REQUIRED_RATIO
}

/** One row of the table. */
export function printVerdict({ outcome, id, seconds, file, test, note }: JudgedMutation): string {
  const reason = [file, test, note].filter(Boolean).join(': ').replaceAll(/\s+/g, ' ')
  return `${outcome.padEnd(7)} ${id.padEnd(38)} ${String(seconds).padStart(4)} s  ${reason}`.trimEnd()
}

/** The totals, by area, and what each fault that was not caught means to users. */
export function printSummary(judged: readonly JudgedMutation[]): string {
  const areas = AREAS.map((area) => judged.filter((one) => one.area === area)).filter(({ length }) => length > 0)
  const rows = areas.map(
    (mutationsOfArea) =>
      `${mutationsOfArea[0]?.area.padEnd(14)} ${mutationsOfArea.filter(isCaught).length}/${mutationsOfArea.length}`,
  )
  const open = judged
    .filter((one) => !isCaught(one))
    .map(({ outcome, id, behavior }) => `${outcome} ${id}: ${behavior}`)
  const total = `${judged.filter(isCaught).length} of ${judged.length} caught (${(shareOf(judged) * 100).toFixed(1)} %)`
  return ['', ...rows, ...open, total].join('\n')
}
