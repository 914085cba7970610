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

const MAX_ROWS = 45

/** Measured time span, on the clock of `readProfileClockUs`. */
export interface ProfileSpan {
  readonly fromUs: number
  readonly untilUs: number
}

/** Returns the current time on the clock of CPU profiles, in microseconds of the monotonic clock. */
export function readProfileClockUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/**
 * Prints the most expensive entries of each profile in a folder during a time span: functions by self time, project functions
 * by total time, and packages by self time.
 */
export function printProfiles(folder: string, span: ProfileSpan): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile
    const selfTimes = calculateSelfTimes(profile, span)
    const parents = mapParents(profile)
    const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
    const totals = {
      functions: new Map<string, number>(),
      callers: new Map<string, number>(),
      packages: new Map<string, number>(),
    }
    let busyMs = 0
    for (const [id, ms] of selfTimes) {
      const stack = getStack(id, parents).flatMap((nodeId) => nodes.get(nodeId) ?? [])
      const [node] = stack
      if (node === undefined || node.callFrame.functionName === '(idle)') continue
      busyMs += ms
      addTime(totals.functions, getLabel(node), ms)
      addTime(totals.packages, getPackage(node), ms)
      for (const label of new Set(stack.filter(isProjectCode).map(getLabel))) addTime(totals.callers, label, ms)
    }
    console.log(`\n${join(folder, name)}: busy for ${busyMs.toFixed(0)} ms`)
    for (const [heading, times] of Object.entries(totals)) printTable(['ms', '%', heading], toRows(times, busyMs))
  }
}

/** Returns the self time of each node. A sample lasts until the next sample. */
function calculateSelfTimes({ samples, timeDeltas, startTime }: CpuProfile, span: ProfileSpan): Map<number, number> {
  const result = new Map<number, number>()
  let timeUs = startTime
  for (const [index, id] of samples.entries()) {
    timeUs += timeDeltas[index] ?? 0
    if (timeUs >= span.fromUs && timeUs < span.untilUs) addTime(result, id, (timeDeltas[index + 1] ?? 0) / 1000)
  }
  return result
}

function mapParents({ nodes }: CpuProfile): Map<number, number> {
  return new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
}

/** Returns the node and its callers, innermost first. */
function getStack(id: number, parents: ReadonlyMap<number, number>): number[] {
  const stack: number[] = []
  for (let ancestor: number | undefined = id; ancestor !== undefined; ancestor = parents.get(ancestor))
    stack.push(ancestor)
  return stack
}

function isProjectCode(node: ProfileNode): boolean {
  return getLocation(node).startsWith('packages/')
}

function getLabel(node: ProfileNode): string {
  return `${node.callFrame.functionName || '(anonymous)'} ${getLocation(node)}:${node.callFrame.lineNumber + 1}`
}

function getPackage(node: ProfileNode): string {
  const location = getLocation(node)
  const installed = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(location)?.[1]
  return installed ?? (/^packages\/\w+/.exec(location)?.[0] || location || node.callFrame.functionName)
}

function getLocation({ callFrame: { url } }: ProfileNode): string {
  return url.startsWith('file://') ? relative(ROOT, fileURLToPath(url)) : url
}

function toRows(times: ReadonlyMap<string, number>, totalMs: number): Row[] {
  const sorted = [...times].toSorted(([, left], [, right]) => right - left).slice(0, MAX_ROWS)
  return sorted.map(([name, ms]) => [ms.toFixed(1), ((100 * ms) / totalMs).toFixed(1), name])
}

function addTime<Key>(times: Map<Key, number>, key: Key, value: number): void {
  times.set(key, (times.get(key) ?? 0) + value)
}
