import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts a process's time in ticks of this length (USER_HZ, 100 a second on every common system). */
const TICK_MS = 10

/** CPU time of all threads of a process so far, in milliseconds; exact to one tick. */
export function readCpuMs(pid: number): number {
  return readTimes(pid).ownMs
}

/** CPU time of a process and all that it has started itself so far, in milliseconds: of a database server, for one. */
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
  // The second field is the command in parentheses and may hold blanks; the parent is field 4, the times are 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3])
  return {
    parentPid: field(4),
    ownMs: (field(14) + field(15)) * TICK_MS,
    endedChildrenMs: (field(16) + field(17)) * TICK_MS,
  }
}

/** Resident memory of a process now, in megabytes of 10^6 bytes. */
export function readResidentMb(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kibibytes) * 1024) / 1e6
}

/** Resident memory of a process and of all that it has started itself, in megabytes of 10^6 bytes. */
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
