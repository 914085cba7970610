import { fileURLToPath } from 'node:url'
import { startProcess } from './child-process.ts'

export interface LoadTarget {
  /** With several of them each client has its own. */
  readonly urls: readonly string[]
  readonly method: 'GET' | 'PATCH'
  readonly authorization: string
  /** JSON; every `[<id>]` in it becomes another text in each request. */
  readonly body?: string
}

export interface LoadStats {
  /** Those that were answered well. */
  readonly requestsPerSecond: number
  /** Of all answers, those that said to try again later (503). */
  readonly rejectedRatio: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** How many clients ask at the same time; each sends its next request as soon as it has its answer. */
export const CLIENTS = 32

/** What autocannon prints with `--json`, as far as it is read here. */
interface LoadReport {
  readonly duration: number
  readonly latency: { readonly p50: number; readonly p99: number; readonly totalCount: number }
  readonly errors: number
  readonly non2xx: number
  readonly '2xx': number
  readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>
}

/** How long a load lasts. */
export type LoadLength = { readonly durationSeconds: number } | { readonly requests: number }

/** Loads a server from a process of its own; throws when any request was answered neither well nor with 503. */
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
  await using running = startProcess(program, { programArguments })
  const report = JSON.parse(await Promise.race([running.firstLine, running.failure])) as LoadReport
  const { latency, errors, non2xx, statusCodeStats } = report
  const refused = statusCodeStats['503']?.count ?? 0
  if (errors + non2xx > refused) throw new Error(`${target.urls.join(' ')}: ${JSON.stringify(report)}`)
  const succeeded = report['2xx']
  return {
    requestsPerSecond: succeeded / report.duration,
    rejectedRatio: refused / (succeeded + refused),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  }
}
