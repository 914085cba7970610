import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './child-process.ts'
import { printTable, type Row } from './report.ts'

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: CallFrame
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const SHOWN_ROWS = 40

/** Prints, for each profile in a folder, the functions and the files with the most time of their own. */
export function printProfiles(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile
    const selfMs = selfTimes(profile)
    const byFunction = new Map<string, number>()
    const byFile = new Map<string, number>()
    for (const { id, callFrame } of profile.nodes) {
      const own = selfMs.get(id) ?? 0
      if (callFrame.functionName === '(idle)') continue
      const place = placeOf(callFrame)
      add(byFile, place || callFrame.functionName, own)
      add(byFunction, `${callFrame.functionName || '(anonymous)'}  ${place}:${callFrame.lineNumber + 1}`, own)
    }
    console.log(`\n${join(folder, name)}`)
    printTable(['self ms', '%', 'function'], toRows(byFunction))
    console.log('')
    printTable(['self ms', '%', 'file'], toRows(byFile))
  }
}

/** Own time of each node: a sample lasts until the next one. */
function selfTimes({ samples, timeDeltas }: CpuProfile): Map<number, number> {
  const result = new Map<number, number>()
  for (const [index, id] of samples.entries()) add(result, id, (timeDeltas[index + 1] ?? 0) / 1000)
  return result
}

function toRows(times: ReadonlyMap<string, number>): Row[] {
  const total = [...times.values()].reduce((sum, own) => sum + own, 0)
  const sorted = [...times].toSorted(([, left], [, right]) => right - left).slice(0, SHOWN_ROWS)
  return sorted.map(([name, own]) => [own.toFixed(1), ((100 * own) / total).toFixed(1), name])
}

function placeOf({ url }: CallFrame): string {
  return url.startsWith('file://') ? relative(ROOT, fileURLToPath(url)) : url
}

function add<Key>(times: Map<Key, number>, key: Key, value: number): void {
  times.set(key, (times.get(key) ?? 0) + value)
}
