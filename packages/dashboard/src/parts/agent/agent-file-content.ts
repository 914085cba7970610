import type { Llm } from '@parley/contract/llm'
import type { FlowFields } from './agent-body.ts'
import type { AnyAgent, NewAgent } from './agent-kind.ts'

/** What a file holds: an agent, with what it answers with where that is in the file. */
export interface AgentFile<Value extends AnyAgent> {
  readonly agent: NewAgent<Value>
  readonly llm: Partial<Llm> | null
  readonly flow: FlowFields | null
  /** Paths of what stands in the file and has no place here. */
  readonly leftOut: readonly string[]
}

/** Why a text is no file of an agent. */
export type FileFault =
  | 'no-json'
  | 'no-agent'
  | 'other-kind'
  | 'no-engine'
  | 'no-llm'
  | 'no-retell-llm'
  | 'no-retell-flow'

export type ReadFile<Value extends AnyAgent> =
  | { readonly file: AgentFile<Value>; readonly fault: null }
  | { readonly file: null; readonly fault: FileFault }
