import { readdirSync, readFileSync } from 'node:fs'

/** Clock tick of process times on Linux (USER_HZ, 100 per second on all common systems). */
const TICK_MS = 10

/** Returns the CPU time of all threads of a process in milliseconds, accurate to one tick. */
export function readCpuMs(pid: number): number {
  return readTimes(pid).ownMs
}

/** Returns the CPU time of a process and its descendants in milliseconds, for example of a database server. */
export function readFamilyCpuMs(pid: number): number {
  const { ownMs, endedChildrenMs } = readTimes(pid)
  let cpuMs = ownMs + endedChildrenMs
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const child = readTimes(Number(entry))
      if (child.parentPid === pid) cpuMs += child.ownMs
    } catch {
      // The process ended during the read.
    }
  }
  return cpuMs
}

interface ProcessTimes {
  readonly parentPid: number
  readonly ownMs: number
  readonly endedChildrenMs: number
}

function readTimes(pid: number): ProcessTimes {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the command in parentheses and can contain spaces. The parent is field 4, and the times are fields 14
  // to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const readField = (number: number): number => Number(fields[number - 3])
  return {
    parentPid: readField(4),
    ownMs: (readField(14) + readField(15)) * TICK_MS,
    endedChildrenMs: (readField(16) + readField(17)) * TICK_MS,
  }
}

/** Returns the resident memory of a process in megabytes (10^6 bytes). */
export function readResidentMb(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kibibytes) * 1024) / 1e6
}

/** Returns the resident memory of a process and its descendants in megabytes (10^6 bytes). */
export function readFamilyResidentMb(pid: number): number {
  let residentMb = readResidentMb(pid)
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      if (readTimes(Number(entry)).parentPid === pid) residentMb += readResidentMb(Number(entry))
    } catch {
      // The process ended during the read.
    }
  }
  return residentMb
}
