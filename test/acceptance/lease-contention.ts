import { setTimeout as sleep } from 'node:timers/promises'
import type { Leases } from '../../packages/server/src/kernel/work/nodes.ts'

/** A slot that was held at least from `from` to `until`, in database time. */
export interface HeldLease {
  readonly workspaceId: number
  readonly from: number
  readonly until: number
}

export interface Contention {
  readonly heldLeases: readonly HeldLease[]
  readonly refused: number
  /** Longest duration of an acquire or release. */
  readonly longestMs: number
  readonly failures: readonly string[]
}

const MAX_HOLD_MS = 10
const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 20

interface LeaseHolder {
  readonly leases: Leases
  readonly nodeId: string
  /** Returns the database time. */
  now(): Promise<number>
}

export interface ContentionSettings {
  readonly workers: number
  readonly workspaceIds: readonly number[]
  readonly durationMs: number
}

/** Takers side by side that take a slot, hold it for a moment and give it back, over and over again. */
export async function runContention(
  { leases, nodeId, now }: LeaseHolder,
  settings: ContentionSettings,
): Promise<Contention> {
  const { workers, workspaceIds, durationMs } = settings
  const heldLeases: HeldLease[] = []
  const failures: string[] = []
  let refused = 0
  let longestMs = 0
  const timed = async <Result>(work: Promise<Result>): Promise<Result> => {
    const startedAt = Date.now()
    const result = await work
    longestMs = Math.max(longestMs, Date.now() - startedAt)
    return result
  }
  const endsAt = Date.now() + durationMs

  const runWorker = async (acquirer: number): Promise<void> => {
    for (let turn = 0; Date.now() < endsAt; turn += 1) {
      const workspaceId = workspaceIds[(acquirer + turn) % workspaceIds.length] ?? 0
      const leaseId = `lease of ${nodeId} ${acquirer} ${turn}`
      if (await timed(leases.acquire(workspaceId, leaseId))) {
        // Asked for after the take and before the release: the slot was held for longer than is noted.
        const from = await now()
        await sleep(Math.random() * MAX_HOLD_MS)
        heldLeases.push({ workspaceId, from, until: await now() })
        await timed(leases.release(leaseId))
      } else {
        refused += 1
        await sleep(MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS))
      }
    }
  }
  await Promise.all(
    Array.from({ length: workers }, (_, acquirer) =>
      runWorker(acquirer).catch((error: unknown) => failures.push(`taker ${acquirer}: ${error}`)),
    ),
  )
  return { heldLeases, refused, longestMs, failures }
}

/** Maximum number of slots held at once. */
export function maxConcurrent(heldLeases: readonly HeldLease[]): number {
  const changes = heldLeases.flatMap(({ from, until }) => [
    { at: from, change: 1 },
    { at: until, change: -1 },
  ])
  // Within a millisecond the end comes first: a shorter overlap cannot be measured.
  changes.sort((a, b) => a.at - b.at || a.change - b.change)
  let heldCount = 0
  let maxHeld = 0
  for (const { change } of changes) {
    heldCount += change
    maxHeld = Math.max(maxHeld, heldCount)
  }
  return maxHeld
}
