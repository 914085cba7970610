import type { StoredNumber } from './stored-number.ts'

/** Says in sentences what an assignment did and what does not work yet. */
export function describeAssignment(before: StoredNumber, after: StoredNumber): string {
  const sentences = [`The agents of ${after.number} are assigned.`]
  if (before.workspaceId !== after.workspaceId) {
    sentences.unshift(`${after.number} moved to workspace ${after.workspaceId}.`)
  }
  if (after.isTimeRoutingEnabled && (after.timeRouting?.windows ?? []).length === 0) {
    sentences.push('Time routing is on but has no effect until the number has windows in "time_routing".')
  }
  if (after.importError !== null) sentences.push(after.importError)
  return sentences.join(' ')
}
