import { setTimeout as sleep } from 'node:timers/promises'
import type { Leases } from '../../packages/server/src/kernel/work/nodes.ts'

/** A slot that was certainly held from `from` to `until`, by the database's clock. */
export interface Holding {
  readonly workspaceId: number
  readonly from: number
  readonly until: number
}

export interface Contention {
  readonly holdings: readonly Holding[]
  readonly refused: number
  /** The longest that a take or a release has lasted. */
  readonly longestMs: number
  readonly failures: readonly string[]
}

const MOST_HOLD_MS = 10
const LEAST_PAUSE_MS = 5
const MOST_PAUSE_MS = 20

interface Holder {
  readonly leases: Leases
  readonly nodeId: string
  /** The database's clock. */
  now(): Promise<number>
}

export interface ContentionSettings {
  readonly takers: number
  readonly workspaceIds: readonly number[]
  readonly forMs: number
}

/** Takers side by side that take a slot, hold it for a moment and give it back, over and over again. */
export async function contend({ leases, nodeId, now }: Holder, settings: ContentionSettings): Promise<Contention> {
  const { takers, workspaceIds, forMs } = settings
  const holdings: Holding[] = []
  const failures: string[] = []
  let refused = 0
  let longestMs = 0
  const timed = async <Result>(work: Promise<Result>): Promise<Result> => {
    const startedAt = Date.now()
    const result = await work
    longestMs = Math.max(longestMs, Date.now() - startedAt)
    return result
  }
  const endsAt = Date.now() + forMs

  const takeTurns = async (acquirer: number): Promise<void> => {
    for (let turn = 0; Date.now() < endsAt; turn += 1) {
      const workspaceId = workspaceIds[(acquirer + turn) % workspaceIds.length] ?? 0
      const leaseId = `lease of ${nodeId} ${acquirer} ${turn}`
      if (await timed(leases.take(workspaceId, leaseId))) {
        // Asked for after the take and before the release: the slot was held for longer than is noted.
        const from = await now()
        await sleep(Math.random() * MOST_HOLD_MS)
        holdings.push({ workspaceId, from, until: await now() })
        await timed(leases.release(leaseId))
      } else {
        refused += 1
        await sleep(LEAST_PAUSE_MS + Math.random() * (MOST_PAUSE_MS - LEAST_PAUSE_MS))
      }
    }
  }
  await Promise.all(
    Array.from({ length: takers }, (_, acquirer) =>
      takeTurns(acquirer).catch((error: unknown) => failures.push(`taker ${acquirer}: ${error}`)),
    ),
  )
  return { holdings, refused, longestMs, failures }
}

/** The most that were held at one moment. */
export function mostAtOnce(holdings: readonly Holding[]): number {
  const changes = holdings.flatMap(({ from, until }) => [
    { at: from, change: 1 },
    { at: until, change: -1 },
  ])
  // Within a millisecond the end comes first: what overlaps for less than that cannot be told.
  changes.sort((a, b) => a.at - b.at || a.change - b.change)
  let held = 0
  let most = 0
  for (const { change } of changes) {
    held += change
    most = Math.max(most, held)
  }
  return most
}
