import { fileURLToPath } from 'node:url'
import { Agent } from 'undici'
import { startProcess } from './child-process.ts'
import { percentile } from './statistics.ts'

export interface LoadTarget {
  /** With several of them each client has its own. */
  readonly urls: readonly string[]
  readonly method: 'GET' | 'PATCH'
  readonly authorization: string
  /** JSON; every `[<id>]` in it becomes another text in each request. */
  readonly body?: string
}

export interface LoadFigures {
  /** Those that were answered well. */
  readonly requestsPerSecond: number
  /** Of all answers, those that said to try again later (503). */
  readonly refusedShare: number
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

/** Loads a server, one URL from a process of its own; throws when any request was answered neither well nor with 503. */
export async function runLoad(target: LoadTarget, length: LoadLength): Promise<LoadFigures> {
  return target.urls.length === 1 ? await loadOne(target, length) : await loadEach(target, length)
}

async function loadOne(target: LoadTarget, length: LoadLength): Promise<LoadFigures> {
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
    target.urls[0] ?? '',
  ]
  await using running = startProcess(program, { programArguments })
  const report = JSON.parse(await Promise.race([running.firstLine, running.failure])) as LoadReport
  const { latency, errors, non2xx, statusCodeStats } = report
  const refused = statusCodeStats['503']?.count ?? 0
  if (errors + non2xx > refused) throw new Error(`${target.urls[0]}: ${JSON.stringify(report)}`)
  const good = report['2xx']
  return {
    requestsPerSecond: good / report.duration,
    refusedShare: refused / (good + refused),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
  }
}

/** From this process: for writes, which are slow enough that their clients do not matter. */
async function loadEach({ urls, method, authorization, body }: LoadTarget, length: LoadLength): Promise<LoadFigures> {
  const agent = new Agent()
  const times: number[] = []
  const startedAt = performance.now()
  let sent = 0
  let refused = 0
  const isOver = (): boolean =>
    'requests' in length ? sent >= length.requests : performance.now() - startedAt >= length.durationSeconds * 1000
  const runClient = async (url: URL): Promise<void> => {
    while (!isOver()) {
      sent += 1
      const sentAt = performance.now()
      const { statusCode, body: answer } = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { authorization, 'content-type': 'application/json' },
        body: body?.replaceAll('[<id>]', String(sent)) ?? null,
      })
      const text = await answer.text()
      times.push(performance.now() - sentAt)
      if (statusCode === 503) refused += 1
      else if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text}`)
    }
  }
  try {
    await Promise.all(urls.map((url) => runClient(new URL(url))))
    const seconds = (performance.now() - startedAt) / 1000
    return {
      requestsPerSecond: (times.length - refused) / seconds,
      refusedShare: refused / times.length,
      p50Ms: Math.round(percentile(times, 0.5)),
      p99Ms: Math.round(percentile(times, 0.99)),
    }
  } finally {
    await agent.destroy()
  }
}
