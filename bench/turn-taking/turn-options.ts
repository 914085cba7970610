import { parseArgs } from 'node:util'
import type { RateHz, SetName } from './build-scenarios.ts'
import type { ScenarioKind } from './scenario.ts'

/** The options of the benchmark. */
export interface TurnOptions {
  readonly set: SetName
  readonly kinds: readonly ScenarioKind[]
  readonly ratesHz: readonly RateHz[]
  /** Calls per kind and condition, at most; null for the full number. */
  readonly limit: number | null
  readonly hasBabble: boolean
  readonly concurrency: number
  /** Who recognizes speech: the caller's streaming recognizer, or a batch recognizer behind the server. */
  readonly recognizer: 'streaming' | 'batch'
  /** Folder with labeled recordings that replace the synthesized callers; null if there is none. */
  readonly recordings: string | null
  /** Whether the JSON line contains every call. */
  readonly listsCalls: boolean
}

const KINDS: readonly ScenarioKind[] = [
  'backchannel',
  'interruption',
  'noise',
  'other-people',
  'pause',
  'question',
  'echo',
  'undisturbed',
]
const SMOKE_KINDS: readonly ScenarioKind[] = ['backchannel', 'interruption', 'noise', 'question']
const DEFAULT_CONCURRENCY = 12

export function readTurnOptions(smoke: boolean): TurnOptions {
  const { values } = parseArgs({
    options: {
      set: { type: 'string', default: 'report' },
      only: { type: 'string' },
      rate: { type: 'string' },
      limit: { type: 'string' },
      concurrency: { type: 'string' },
      recognizer: { type: 'string', default: 'streaming' },
      recordings: { type: 'string' },
      json: { type: 'boolean' },
    },
    strict: false,
  })
  const { set, only, rate, limit, recognizer, recordings } = values
  if (set !== 'tune' && set !== 'report') throw new Error('--set is "tune" or "report".')
  if (recognizer !== 'streaming' && recognizer !== 'batch') throw new Error('--recognizer is "streaming" or "batch".')
  return {
    set,
    recognizer,
    recordings: recordings === undefined ? null : String(recordings),
    kinds: only === undefined ? (smoke ? SMOKE_KINDS : KINDS) : readKinds(String(only)),
    ratesHz: rate === undefined ? (smoke ? [16_000] : [16_000, 8_000]) : [readRate(rate)],
    limit: limit === undefined ? (smoke ? 3 : null) : readCount(limit, '--limit'),
    hasBabble: !smoke,
    concurrency: readCount(values.concurrency ?? DEFAULT_CONCURRENCY, '--concurrency'),
    listsCalls: values.json === true,
  }
}

function readKinds(list: string): ScenarioKind[] {
  return list.split(',').map((name) => {
    const kind = KINDS.find((candidate) => candidate === name)
    if (kind === undefined) throw new Error(`--only is one or several of: ${KINDS.join(', ')}.`)
    return kind
  })
}

function readRate(value: unknown): RateHz {
  if (value === '16000' || value === '8000') return value === '8000' ? 8_000 : 16_000
  throw new Error('--rate is 8000 or 16000.')
}

function readCount(value: unknown, name: string): number {
  const count = Number(value)
  if (!Number.isInteger(count) || count < 1) throw new Error(`${name} is a whole number above 0.`)
  return count
}
