import { fileURLToPath } from 'node:url'
import { startProcess } from './child-process.ts'

export interface LoadTarget {
  /** If there are several URLs, each client gets its own. */
  readonly urls: readonly string[]
  readonly method: 'GET' | 'PATCH'
  readonly authorization: string
  /** JSON body. Every `[<id>]` is replaced by a different text in each request. */
  readonly body?: string
}

export interface LoadStats {
  /** Successful responses per second. */
  readonly requestsPerSecond: number
  /** Share of responses with status 503. */
  readonly rejectedRatio: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Number of concurrent clients. Each client sends its next request as soon as it receives a response. */
export const CLIENTS = 32

/** Fields of the `--json` output of autocannon that are used here. */
interface LoadReport {
  readonly duration: number
  readonly latency: { readonly p50: number; readonly p99: number; readonly totalCount: number }
  readonly errors: number
  readonly non2xx: number
  readonly '2xx': number
  readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>
}

/** Duration of a load or number of requests. */
export type LoadLength = { readonly durationSeconds: number } | { readonly requests: number }

/** Loads a server from a separate process. Throws if any request neither succeeded nor failed with 503. */
export async function runLoad(target: LoadTarget, length: LoadLength): Promise<LoadStats> {
  const program = fileURLToPath(import.meta.resolve('autocannon'))
  const programArguments = [
    '--json',
    '--no-progress',
    `--connections=${CLIENTS}`,
    'durationSeconds' in length ? `--duration=${length.durationSeconds}` : `--amount=${length.requests}`,
    `--method=${target.method}`,
    `--headers=authorization=${target.authorization}`,
    ...(target.body === undefined
      ? []
      : ['--headers=content-type=application/json', '--idReplacement', `--body=${target.body}`]),
    ...target.urls,
  ]
  await using child = startProcess(program, { programArguments })
  const report = JSON.parse(await Promise.race([child.firstLine, child.failure])) as LoadReport
  const { latency, errors, non2xx, statusCodeStats } = report
  const rejected = statusCodeStats['503']?.count ?? 0
  if (errors + non2xx > rejected) throw new Error(`${target.urls.join(' ')}: ${JSON.stringify(report)}`)
  const succeeded = report['2xx']
  return {
    requestsPerSecond: succeeded / report.duration,
    rejectedRatio: rejected / (succeeded + rejected),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  }
}
