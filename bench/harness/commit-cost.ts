import pg from 'pg'
import { median, round } from './statistics.ts'

export interface CommitCost {
  /** A round trip. */
  readonly emptyMs: number
  /** A round trip and the wait for the disk. */
  readonly commitMs: number
}

/** Medians of what the least statements take on a PostgreSQL server: what nothing that stores there can undercut. */
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
    return { emptyMs: round(median(empty)), commitMs: round(median(commits)) }
  } finally {
    await client.end()
  }
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
