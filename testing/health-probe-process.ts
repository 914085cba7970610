import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProbeReport } from './health-probe.ts'

const CADENCE_MS = 20
const [url = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let latencies: number[] = []
let isReportRequested = false
let isDone = false

process.on('message', () => {
  isReportRequested = true
})
process.on('disconnect', () => {
  isDone = true
})

while (!isDone) {
  const startMs = performance.now()
  await pollHealth()
  latencies.push(performance.now() - startMs)
  if (isReportRequested) {
    isReportRequested = false
    const sorted = latencies.sort((one, other) => one - other)
    const report = { count: sorted.length, p50Ms: sorted[sorted.length >> 1] ?? 0, maxMs: sorted.at(-1) ?? 0 }
    process.send?.(report satisfies ProbeReport)
    latencies = []
  }
  await pause(CADENCE_MS)
}
agent.destroy()

function pollHealth(): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().on('end', resolve).on('error', reject)).on('error', reject)
  })
}
