import pg from 'pg'
import { calculateMedian, roundStat } from './statistics.ts'

export interface CommitCost {
  /** Duration of a round trip. */
  readonly emptyMs: number
  /** Duration of a round trip including the disk write. */
  readonly commitMs: number
}

/**
 * Measures the median duration of minimal statements on a PostgreSQL server, which is the lower bound of any storage operation.
 */
export async function measureCommits(url: string, count: number): Promise<CommitCost> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('create table commits (value integer)')
    const empty: number[] = []
    const commits: number[] = []
    for (let index = 0; index < count; index += 1) {
      empty.push(await timeMs(() => client.query({ name: 'empty', text: 'select' })))
      commits.push(await timeMs(() => client.query({ name: 'commit', text: 'insert into commits values (1)' })))
    }
    return { emptyMs: roundStat(calculateMedian(empty)), commitMs: roundStat(calculateMedian(commits)) }
  } finally {
    await client.end()
  }
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
