import type { Pair } from '../../components/strings-field.tsx'
import { request } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

export interface ConversationParams {
  readonly agentId: string
  readonly agentVersion: number
  readonly dynamicVariables: Readonly<Record<string, string>>
  readonly metadata: Readonly<Record<string, string>>
}

export interface ConversationOptions {
  readonly agentId: string
  readonly kind: 'agent' | 'chat-agent'
  readonly onBeforeStart: () => Promise<boolean>
  readonly variables: readonly Pair[]
}

const METADATA = { source: 'dashboard' } as const

/** Saves pending edits and reads the latest version. Returns null if the conversation must not start. */
export type PrepareConversation = () => Promise<ConversationParams | null>

export function usePrepareConversation({
  agentId,
  kind,
  onBeforeStart,
  variables,
}: ConversationOptions): PrepareConversation {
  const workspaceId = useWorkspaceId()
  return async () => {
    if (!(await onBeforeStart())) return null
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

/** Adds an empty pair for each missing name. */
export function addMissingPairs(existingPairs: readonly Pair[], newNames: readonly string[]): readonly Pair[] {
  const missingNames = newNames.filter((name) => !existingPairs.some((pair) => pair.name === name))
  return missingNames.length === 0
    ? existingPairs
    : [...existingPairs, ...missingNames.map((name) => ({ name, value: '' }))]
}
