import type { Verdict } from './judge-mutation.ts'
import { AREAS, type Mutation } from './mutation.ts'

export type JudgedMutation = Pick<Mutation, 'id' | 'area' | 'behavior'> & Verdict & { readonly seconds: number }

/** Minimum share of planted faults that the tests must catch. */
const REQUIRED_RATIO = 0.95

function isCaught({ outcome }: JudgedMutation): boolean {
  return outcome === 'caught' || outcome === 'hung'
}

function calculateShare(judged: readonly JudgedMutation[]): number {
  return judged.filter(isCaught).length / judged.length
}

/** Whether the tests catch the required share of faults. */
export function meetsThreshold(judged: readonly JudgedMutation[]): boolean {
  return calculateShare(judged) >= REQUIRED_RATIO
}

/** Prints one row of the table. */
export function printVerdict({ outcome, id, seconds, file, test, note }: JudgedMutation): string {
  const reason = [file, test, note].filter(Boolean).join(': ').replaceAll(/\s+/g, ' ')
  return `${outcome.padEnd(7)} ${id.padEnd(38)} ${String(seconds).padStart(4)} s  ${reason}`.trimEnd()
}

/** Prints the totals by area, and the user-visible effect of each fault that was not caught. */
export function printSummary(judged: readonly JudgedMutation[]): string {
  const areas = AREAS.map((area) => judged.filter((mutation) => mutation.area === area)).filter(
    ({ length }) => length > 0,
  )
  const rows = areas.map(
    (mutationsOfArea) =>
      `${mutationsOfArea[0]?.area.padEnd(14)} ${mutationsOfArea.filter(isCaught).length}/${mutationsOfArea.length}`,
  )
  const missedRows = judged
    .filter((mutation) => !isCaught(mutation))
    .map(({ outcome, id, behavior }) => `${outcome} ${id}: ${behavior}`)
  const total = `${judged.filter(isCaught).length} of ${judged.length} caught (${(calculateShare(judged) * 100).toFixed(1)} %)`
  return ['', ...rows, ...missedRows, total].join('\n')
}
