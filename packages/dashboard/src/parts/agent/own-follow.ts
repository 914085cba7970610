import type { Llm } from '@parley/contract/llm'
import { VERSION_FIELDS } from '../../lib/difference.ts'
import { changedFields } from '../../lib/editing/draft-state.ts'
import type { AnyAgent } from './agent-kind.ts'

/** Fields of an agent that tell of its engine and change with it. */
const FOLLOWING_FIELDS: ReadonlySet<string> = new Set([...VERSION_FIELDS, 'responsiveness', 'response_engine'])

/**
 * Whether the settings of an agent are still those that were known, although it was written: it was published or activated, or it
 * got its next version because its LLM configuration was edited. Edits go on top without overwriting anybody's.
 */
export function hasOnlyFollowed(known: AnyAgent, newest: AnyAgent): boolean {
  const fields = changedFields<object>(known, newest).map(String)
  return fields.every((field) => FOLLOWING_FIELDS.has(field)) && isSameEngine(known, newest)
}

function isSameEngine(known: AnyAgent, newest: AnyAgent): boolean {
  const { version: _before, ...before } = known.response_engine
  const { version: _after, ...after } = newest.response_engine
  return changedFields<object>(before, after).length === 0
}

/** The same of an LLM configuration: it was only published. */
export function hasOnlyBeenPublished(known: Llm, newest: Llm): boolean {
  return changedFields<object>(known, newest).every((field) => VERSION_FIELDS.has(String(field)))
}
