import { readFileSync } from 'node:fs'

/** Linux counts a process's time in ticks of this length (USER_HZ, 100 a second on every common system). */
const TICK_MS = 10

/** CPU time of all threads of a process so far, in milliseconds; exact to one tick. */
export function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the command in parentheses and may hold blanks; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Resident memory of a process now, in megabytes of 10^6 bytes. */
export function readResidentMb(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return (Number(kibibytes) * 1024) / 1e6
}
