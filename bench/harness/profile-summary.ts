import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './child-process.ts'
import { printTable, type Row } from './report.ts'

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const SHOWN_ROWS = 45

/** The time that counts, on the clock of `profileTimeUs`. */
export interface ProfileSpan {
  readonly fromUs: number
  readonly untilUs: number
}

/** Now, on the clock of CPU profiles: microseconds of the machine's monotonic clock. */
export function profileTimeUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/**
 * Prints what costs most in each profile of a folder, in a span of time: functions by their own time, our functions by their
 * time with all that they call, packages by their own time.
 */
export function printProfiles(folder: string, span: ProfileSpan): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile
    const own = selfTimes(profile, span)
    const parents = parentsOf(profile)
    const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
    const totals = {
      functions: new Map<string, number>(),
      callers: new Map<string, number>(),
      packages: new Map<string, number>(),
    }
    let busyMs = 0
    for (const [id, ms] of own) {
      const stack = stackOf(id, parents).flatMap((nodeId) => nodes.get(nodeId) ?? [])
      const [node] = stack
      if (node === undefined || node.callFrame.functionName === '(idle)') continue
      busyMs += ms
      add(totals.functions, labelOf(node), ms)
      add(totals.packages, packageOf(node), ms)
      for (const label of new Set(stack.filter(isProjectCode).map(labelOf))) add(totals.callers, label, ms)
    }
    console.log(`\n${join(folder, name)}: busy for ${busyMs.toFixed(0)} ms`)
    for (const [heading, times] of Object.entries(totals)) printTable(['ms', '%', heading], toRows(times, busyMs))
  }
}

/** Own time of each node: a sample lasts until the next one. */
function selfTimes({ samples, timeDeltas, startTime }: CpuProfile, span: ProfileSpan): Map<number, number> {
  const result = new Map<number, number>()
  let timeUs = startTime
  for (const [index, id] of samples.entries()) {
    timeUs += timeDeltas[index] ?? 0
    if (timeUs >= span.fromUs && timeUs < span.untilUs) add(result, id, (timeDeltas[index + 1] ?? 0) / 1000)
  }
  return result
}

function parentsOf({ nodes }: CpuProfile): Map<number, number> {
  return new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
}

/** The node and its callers, innermost first. */
function stackOf(id: number, parents: ReadonlyMap<number, number>): number[] {
  const stack: number[] = []
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.push(at)
  return stack
}

function isProjectCode(node: ProfileNode): boolean {
  return locationOf(node).startsWith('packages/')
}

function labelOf(node: ProfileNode): string {
  return `${node.callFrame.functionName || '(anonymous)'} ${locationOf(node)}:${node.callFrame.lineNumber + 1}`
}

function packageOf(node: ProfileNode): string {
  const location = locationOf(node)
  const installed = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(location)?.[1]
  return installed ?? (/^packages\/\w+/.exec(location)?.[0] || location || node.callFrame.functionName)
}

function locationOf({ callFrame: { url } }: ProfileNode): string {
  return url.startsWith('file://') ? relative(ROOT, fileURLToPath(url)) : url
}

function toRows(times: ReadonlyMap<string, number>, totalMs: number): Row[] {
  const sorted = [...times].toSorted(([, left], [, right]) => right - left).slice(0, SHOWN_ROWS)
  return sorted.map(([name, ms]) => [ms.toFixed(1), ((100 * ms) / totalMs).toFixed(1), name])
}

function add<Key>(times: Map<Key, number>, key: Key, value: number): void {
  times.set(key, (times.get(key) ?? 0) + value)
}
