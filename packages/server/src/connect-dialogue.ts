import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { ResolveModel, SecretReader } from '@parley/engine/ports'
import type { Foundation } from './foundation.ts'
import { createAgentLoader } from './kernel/agent-loader.ts'
import type { AgentUse } from './kernel/pinned-agent.ts'

/** No answer takes longer, however steadily it streams. */
const TOTAL_TIMEOUT_MS = 300_000

/** Told to builders and models alike while no carrier is connected. */
const NO_CARRIER = 'No carrier that sends text messages is connected to this workspace.'

export interface DialogueOptions {
  readonly agents: AgentUse
  /** Active signing secrets of a workspace: its tools are signed with them. */
  readonly secretsFor: (workspaceId: number) => Promise<readonly string[]>
  readonly namedSecrets: (workspaceId: number) => SecretReader
}

/** What the dialogue engine needs in each workspace. */
export function connectDialogue(
  foundation: Foundation,
  { agents, secretsFor, namedSecrets }: DialogueOptions,
): (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies {
  const { database, clock, makeId, code, mcp, customLlm, knowledge } = foundation
  const { firstTokenTimeoutMs, idleTokenTimeoutMs } = foundation
  const tools = foundation.toolClients(secretsFor)
  const deadlines = { firstTokenMs: firstTokenTimeoutMs, idleMs: idleTokenTimeoutMs, totalMs: TOTAL_TIMEOUT_MS }
  const sms = { send: async () => ({ status: 'unsent', reason: NO_CARRIER }) as const }
  return (workspaceId, resolveModel) => ({
    resolveModel,
    httpTools: tools.forWorkspace(workspaceId),
    code: code.forWorkspace(workspaceId),
    mcp,
    secrets: namedSecrets(workspaceId),
    customLlm,
    sms,
    knowledge: knowledge.forWorkspace(workspaceId),
    agents: createAgentLoader(async (agentId, version) => {
      const request = { workspaceId, agentId, version, now: clock.now() }
      const pin = await database.transaction((transaction) => agents.pin(transaction, request))
      return await agents.load({ ...pin, workspaceId })
    }),
    clock,
    makeId,
    deadlines,
  })
}
