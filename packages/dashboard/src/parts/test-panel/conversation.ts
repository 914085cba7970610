import type { Pair } from '../../components/strings-field.tsx'
import { request } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** What a conversation of the panel begins with. */
export interface Beginning {
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

/** Told with every conversation, so that those of customers can be told apart from tries. */
const METADATA = { source: 'dashboard' } as const

/** Saves what is edited and finds the newest version; null when it shall not begin. */
export type BeginConversation = () => Promise<Beginning | null>

export function useBeginning({ agentId, kind, beforeStart, variables }: ConversationOptions): BeginConversation {
  const workspaceId = useWorkspaceId()
  return async () => {
    if (!(await beforeStart())) return null
    const parts = { path: { agentId }, query: { workspaceId, version: 'latest' } }
    const reading = kind === 'agent' ? request('getAgent', parts) : request('getChatAgent', parts)
    const { version } = (await reading).value
    return { agentId, agentVersion: version, dynamicVariables: filledIn(variables), metadata: METADATA }
  }
}

/** The variables that were given a value. */
export function filledIn(pairs: readonly Pair[]): Record<string, string> {
  const filled = pairs.filter(({ name, value }) => name.trim() !== '' && value !== '')
  return Object.fromEntries(filled.map(({ name, value }) => [name.trim(), value]))
}

/** Pairs with one for every name that is new; what was typed or taken away stays so. */
export function withNames(pairs: readonly Pair[], newNames: readonly string[]): readonly Pair[] {
  const missing = newNames.filter((name) => !pairs.some((pair) => pair.name === name))
  return missing.length === 0 ? pairs : [...pairs, ...missing.map((name) => ({ name, value: '' }))]
}
