import { fileURLToPath } from 'node:url'
import { startProcess } from './child-process.ts'

export interface LoadTarget {
  readonly url: string
  readonly method: 'GET' | 'PATCH'
  readonly authorization: string
  /** JSON; every `[<id>]` in it becomes another text in each request. */
  readonly body?: string
}

export interface LoadFigures {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** How many clients ask at the same time; each sends its next request as soon as it has its answer. */
const CLIENTS = 32

/** What autocannon prints with `--json`, as far as it is read here. */
interface LoadReport {
  readonly requests: { readonly average: number }
  readonly latency: { readonly p50: number; readonly p99: number }
  readonly errors: number
  readonly non2xx: number
}

/** How long a load lasts. */
export type LoadLength = { readonly durationSeconds: number } | { readonly requests: number }

/** Loads one URL from a process of its own; throws when any request was not answered well. */
export async function runLoad(target: LoadTarget, length: LoadLength): Promise<LoadFigures> {
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
    target.url,
  ]
  await using running = startProcess(program, { programArguments })
  const report = JSON.parse(await Promise.race([running.firstLine, running.failure])) as LoadReport
  if (report.errors + report.non2xx > 0) throw new Error(`${target.url}: ${JSON.stringify(report)}`)
  return { requestsPerSecond: report.requests.average, p50Ms: report.latency.p50, p99Ms: report.latency.p99 }
}
