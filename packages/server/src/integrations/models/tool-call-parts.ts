import type { ModelToolCall } from '@parley/engine/ports'
import { parseJson } from './unknown-json.ts'

const MAX_TOOL_CALLS = 128
const MAX_ARGUMENTS_CHARACTERS = 1024 * 1024

interface ToolCallPart {
  id: string
  name: string
  argumentsText: string
}

/** Assembles a response's tool calls from deltas. */
export interface ToolCallParts {
  readonly size: number
  /** Adds a delta to the call at `index`, which can be new. Returns false if the calls exceed a limit. */
  add(index: number, delta: { readonly id: string; readonly name: string; readonly argumentsText: string }): boolean
  /**
   * Returns the index for a delta without an index. A new id starts the next call; otherwise, the delta continues the last
   * call.
   */
  findIndex(id: string): number
  has(index: number): boolean
  getId(index: number): string
  /**
   * Returns all calls in index order, or null if a call has no name. A blank or repeated id becomes `call_<position>`.
   * `onlyComplete` omits calls with truncated arguments.
   */
  takeCalls(onlyComplete: boolean): ModelToolCall[] | null
}

export function createToolCallParts(): ToolCallParts {
  const parts = new Map<number, ToolCallPart>()
  let lastIndex = -1
  let highestIndex = -1
  return {
    get size() {
      return parts.size
    },
    add(index, delta) {
      let part = parts.get(index)
      if (part === undefined) {
        if (parts.size >= MAX_TOOL_CALLS) return false
        part = { id: '', name: '', argumentsText: '' }
        parts.set(index, part)
      }
      lastIndex = index
      highestIndex = Math.max(highestIndex, index)
      if (part.id === '') part.id = delta.id
      // Some servers repeat the name in every delta.
      if (part.name !== delta.name) part.name += delta.name
      part.argumentsText += delta.argumentsText
      return part.argumentsText.length <= MAX_ARGUMENTS_CHARACTERS
    },
    findIndex(id) {
      if (lastIndex === -1) return 0
      const lastId = parts.get(lastIndex)?.id ?? ''
      return id !== '' && id !== lastId ? highestIndex + 1 : lastIndex
    },
    has: (index) => parts.has(index),
    getId: (index) => parts.get(index)?.id ?? '',
    takeCalls(onlyComplete) {
      const calls: ModelToolCall[] = []
      const usedIds = new Set<string>()
      for (const [, part] of [...parts].sort(([left], [right]) => left - right)) {
        const argumentsText = part.argumentsText.trim() === '' ? '{}' : part.argumentsText
        if (onlyComplete && parseJson(argumentsText) === undefined) continue
        if (part.name === '') return null
        const id = toUniqueId(part.id.trim(), calls.length, usedIds)
        usedIds.add(id)
        calls.push({ id, name: part.name, argumentsText })
      }
      parts.clear()
      return calls
    },
  }
}

function toUniqueId(id: string, position: number, usedIds: ReadonlySet<string>): string {
  let uniqueId = id === '' || usedIds.has(id) ? `call_${position}` : id
  while (usedIds.has(uniqueId)) uniqueId += '_'
  return uniqueId
}
