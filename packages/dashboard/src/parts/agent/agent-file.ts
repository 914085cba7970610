import type { Llm } from '@parley/contract/llm'
import type { AgentFileResult, AgentKind, AnyAgent, NewAgent } from './agent-api.ts'
import { isObject } from './json-value.ts'
import { isRetellAgent, readRetellAgent } from './retell/import-agent.ts'

const FILE_KINDS = { agent: 'parley.agent', 'chat-agent': 'parley.chat-agent' } as const

export function formatAgentFile<Value extends AnyAgent>(
  kind: AgentKind,
  { agent, llm }: { readonly agent: Value; readonly llm: Llm | null },
): string {
  return `${JSON.stringify({ kind: FILE_KINDS[kind], agent, llm }, null, 2)}\n`
}

/** Builds a file name that is valid on every file system. */
export function buildAgentFileName({
  agent_name: name,
  agent_id: id,
}: Pick<AnyAgent, 'agent_name' | 'agent_id'>): string {
  const slug = name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '')
  return `${slug.slice(0, 60) || id}.json`
}

/** Reads an agent exported from Parley or Retell. The server validates the settings. */
export function readAgentFile<Value extends AnyAgent>(kind: AgentKind, text: string): AgentFileResult<Value> {
  const content = parseJson(text)
  if (content === undefined) return { file: null, error: 'invalid-json' }
  if (isRetellAgent(content)) return readRetellAgent(kind, content)
  if (!isObject(content) || !isObject(content.agent)) return { file: null, error: 'no-agent' }
  if (content.kind !== FILE_KINDS[kind]) {
    const isOtherKind = Object.values<unknown>(FILE_KINDS).includes(content.kind)
    return { file: null, error: isOtherKind ? 'wrong-kind' : 'no-agent' }
  }
  const { response_engine: engine } = content.agent
  if (!isObject(engine) || typeof engine.type !== 'string') return { file: null, error: 'no-engine' }
  const llm = content.llm ?? null
  if (llm !== null && !isObject(llm)) return { file: null, error: 'no-llm' }
  if ('llm_id' in engine && llm === null) return { file: null, error: 'no-llm' }
  const agent = content.agent as NewAgent<Value>
  return { file: { agent, llm, flow: null, omittedPaths: [] }, error: null }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
