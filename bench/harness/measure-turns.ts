import { setTimeout as wait } from 'node:timers/promises'
import type { Contender } from './contenders.ts'
import { calculateMedian, calculatePercentile } from './statistics.ts'

export const TURNS_PER_SESSION = 10
/** Time for deferred work of a turn, such as its last commit, which counts toward its cost. */
const DEFERRED_WORK_MS = 2_000
/** Number of concurrent turns. */
export const CONCURRENT_TURNS = 50

export interface TurnStats {
  readonly firstTokenMs: number
  readonly totalMs: number
  readonly totalP95Ms: number
  /**
   * CPU time of the server per turn, including all threads and children until `DEFERRED_WORK_MS` after the last turn; null for the
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
    for (let offset = 0; offset < contenders.length; offset += 1) {
      const index = (session + offset) % contenders.length
      for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) {
        const result = await contenders[index]?.runTurn(firstConversation + session)
        times[index]?.first.push(result?.firstTokenMs ?? Number.NaN)
        times[index]?.total.push(result?.totalMs ?? Number.NaN)
      }
    }
  }
  await wait(DEFERRED_WORK_MS)
  const turns = count * TURNS_PER_SESSION
  const calculatePerTurn = (after: number | null, start: number | null | undefined): number | null =>
    after === null || start == null ? null : (after - start) / turns
  return contenders.map((contender, index) => {
    const after = readCpu(contender)
    return {
      firstTokenMs: calculateMedian(times[index]?.first ?? []),
      totalMs: calculateMedian(times[index]?.total ?? []),
      totalP95Ms: calculatePercentile(times[index]?.total ?? [], 0.95),
      cpuMs: calculatePerTurn(after.server, before[index]?.server),
      databaseCpuMs: calculatePerTurn(after.database, before[index]?.database),
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
    for (let offset = 0; offset < contenders.length; offset += 1) {
      const index = (count + offset) % contenders.length
      const startedAt = performance.now()
      const conversations = Array.from({ length: CONCURRENT_TURNS }, (_, number) => firstConversation + number)
      await Promise.all(conversations.map((conversation) => contenders[index]?.runTurn(conversation)))
      if (count >= 2) times[index]?.push(performance.now() - startedAt)
    }
  }
  return times.map(calculateMedian)
}

function readCpu({ readCpuMs, readDatabaseCpuMs }: Contender) {
  return { server: readCpuMs?.() ?? null, database: readDatabaseCpuMs?.() ?? null }
}
