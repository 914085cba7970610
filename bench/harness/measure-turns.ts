import { setTimeout as wait } from 'node:timers/promises'
import type { Contender } from './contenders.ts'
import { calculateMedian, calculatePercentile } from './statistics.ts'

export const TURNS_PER_SESSION = 10
/** Deferred work of a turn, such as its last commit, counts toward its cost. */
const SETTLE_MS = 2_000
/** Number of concurrent turns. */
export const CONCURRENT_TURNS = 50

export interface TurnStats {
  readonly firstTokenMs: number
  readonly totalMs: number
  readonly totalP95Ms: number
  /**
   * CPU time of the server per turn, including all threads and children until `SETTLE_MS` after the last turn; null for the
   * stub.
   */
  readonly cpuMs: number | null
  /** CPU time of the database server per turn, or null if there is none. */
  readonly databaseCpuMs: number | null
}

/** Runs sessions of ten turns. Contenders take turns in a different order each time. */
export async function measureTurns(
  contenders: readonly Contender[],
  count: number,
  firstConversation: number,
): Promise<TurnStats[]> {
  const times = contenders.map(() => ({ first: [] as number[], total: [] as number[] }))
  const before = contenders.map(readCpu)
  for (let session = 0; session < count; session += 1) {
    for (let place = 0; place < contenders.length; place += 1) {
      const index = (session + place) % contenders.length
      for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) {
        const result = await contenders[index]?.turn(firstConversation + session)
        times[index]?.first.push(result?.firstTokenMs ?? Number.NaN)
        times[index]?.total.push(result?.totalMs ?? Number.NaN)
      }
    }
  }
  await wait(SETTLE_MS)
  const turns = count * TURNS_PER_SESSION
  const averagePerTurn = (after: number | null, start: number | null | undefined): number | null =>
    after === null || start == null ? null : (after - start) / turns
  return contenders.map((contender, index) => {
    const after = readCpu(contender)
    return {
      firstTokenMs: calculateMedian(times[index]?.first ?? []),
      totalMs: calculateMedian(times[index]?.total ?? []),
      totalP95Ms: calculatePercentile(times[index]?.total ?? [], 0.95),
      cpuMs: averagePerTurn(after.own, before[index]?.own),
      databaseCpuMs: averagePerTurn(after.database, before[index]?.database),
    }
  })
}

/** Returns the median time until fifty concurrent turns are complete. The first rounds only open connections. */
export async function measureConcurrentTurns(
  contenders: readonly Contender[],
  rounds: number,
  firstConversation: number,
): Promise<number[]> {
  const times = contenders.map(() => [] as number[])
  for (let count = 0; count < rounds + 2; count += 1) {
    for (let place = 0; place < contenders.length; place += 1) {
      const index = (count + place) % contenders.length
      const startedAt = performance.now()
      const conversations = Array.from({ length: CONCURRENT_TURNS }, (_, number) => firstConversation + number)
      await Promise.all(conversations.map((conversation) => contenders[index]?.turn(conversation)))
      if (count >= 2) times[index]?.push(performance.now() - startedAt)
    }
  }
  return times.map(calculateMedian)
}

function readCpu({ readCpuMs, readDatabaseCpuMs }: Contender) {
  return { own: readCpuMs?.() ?? null, database: readDatabaseCpuMs?.() ?? null }
}
