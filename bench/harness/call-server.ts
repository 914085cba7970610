import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { queryObjects } from 'node:v8'
import type { CallPacerStats } from '../../packages/server/src/media/call-pacer.ts'
import { pacers } from './observed-call-pacer.ts'

/**
 * The real server with instant speech vendors, and a second port that reports internal statistics at `/stats`. With
 * `?collect`, statistics follow a garbage collection; with `?objects`, they include live objects, which takes seconds. The only
 * argument is the second port.
 */

export interface CallServerStats {
  readonly rssMb: number
  readonly heapMb: number
  /** Memory outside the heap, mostly audio. */
  readonly buffersMb: number
  /** Resources that keep the process alive, by kind. */
  readonly resources: Readonly<Record<string, number>>
  readonly pacer: CallPacerStats
  /** Number of calls that the pacer serves. */
  readonly activeCalls: number
  /** Event loop delay of the main thread since the previous request for statistics (p99). */
  readonly eventLoopP99Ms: number
  readonly loopMaxMs: number
  /** Number of live call objects; null unless `?objects` is set. */
  readonly objects: Readonly<Record<string, number>> | null
}

const REPLACED_MODULES: Readonly<Record<string, string>> = {
  '/integrations/speech/speech-vendors.ts': new URL('./instant-speech.ts', import.meta.url).href,
  '/media/call-pacer.ts': new URL('./observed-call-pacer.ts', import.meta.url).href,
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const [, url] = Object.entries(REPLACED_MODULES).find(([suffix]) => resolved.url.endsWith(suffix)) ?? []
    return url === undefined || context.parentURL === url ? resolved : { ...resolved, url }
  },
})

const { startApp } = await import('../../packages/server/src/app.ts')
const { readConfig } = await import('../../packages/server/src/config.ts')
const { WebLeg } = await import('../../packages/server/src/media/web/web-leg.ts')
const { WebConnection } = await import('../../packages/server/src/media/channel/web-connection.ts')
const { SessionLoop } = await import('../../packages/engine/src/voice/session/voice-session.ts')

const RESOLUTION_MS = 5
const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
loop.enable()
const app = await startApp(readConfig())
const control = createServer((request, response) => {
  response.end(JSON.stringify(readStats(request.url ?? '')))
})
control.listen(Number(process.argv[2]), '127.0.0.1')

process.once('SIGTERM', () => {
  control.close()
  control.closeAllConnections()
  app.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})

function readStats(url: string): CallServerStats {
  if (!url.endsWith('/stats')) globalThis.gc?.()
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const [pacer] = pacers
  if (pacer === undefined) throw new Error('The server has no call pacer.')
  const stats: CallServerStats = {
    rssMb: rss / 1e6,
    heapMb: heapUsed / 1e6,
    buffersMb: Math.max(external, arrayBuffers) / 1e6,
    resources: countResources(),
    pacer: pacer.getStats(),
    activeCalls: pacer.size,
    eventLoopP99Ms: Math.max(0, loop.percentile(99) / 1e6 - RESOLUTION_MS),
    loopMaxMs: Math.max(0, loop.max / 1e6 - RESOLUTION_MS),
    objects: url.endsWith('?objects')
      ? {
          legs: queryObjects(WebLeg) as number,
          connections: queryObjects(WebConnection) as number,
          sessions: queryObjects(SessionLoop) as number,
        }
      : null,
  }
  loop.reset()
  return stats
}

function countResources(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
