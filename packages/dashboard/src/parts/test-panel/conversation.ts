import type { Pair } from '../../components/strings-field.tsx'
import { request } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

export interface ConversationStart {
  readonly agentId: string
  readonly agentVersion: number
  readonly dynamicVariables: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, string>>
}

export interface ConversationOptions {
  readonly agentId: string
  readonly kind: 'agent' | 'chat-agent'
  readonly beforeStart: () => Promise<boolean>
  readonly variables: readonly Pair[]
}

const METADATA = { source: 'dashboard' } as const

/** Saves pending edits and finds the latest version. Returns null to cancel the start. */
export type PrepareConversation = () => Promise<ConversationStart | null>

export function usePrepareConversation({
  agentId,
  kind,
  beforeStart,
  variables,
}: ConversationOptions): PrepareConversation {
  const workspaceId = useWorkspaceId()
  return async () => {
    if (!(await beforeStart())) return null
    const params = { path: { agentId }, query: { workspaceId, version: 'latest' } }
    const agentRequest = kind === 'agent' ? request('getAgent', params) : request('getChatAgent', params)
    const { version } = (await agentRequest).value
    return { agentId, agentVersion: version, dynamicVariables: toVariables(variables), metadata: METADATA }
  }
}

export function toVariables(pairs: readonly Pair[]): Record<string, string> {
  const completePairs = pairs.filter(({ name, value }) => name.trim() !== '' && value !== '')
  return Object.fromEntries(completePairs.map(({ name, value }) => [name.trim(), value]))
}

/** Adds new names without changing typed values. */
export function addNames(existingPairs: readonly Pair[], newNames: readonly string[]): readonly Pair[] {
  const missingNames = newNames.filter((name) => !existingPairs.some((pair) => pair.name === name))
  return missingNames.length === 0
    ? existingPairs
    : [...existingPairs, ...missingNames.map((name) => ({ name, value: '' }))]
}
