import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { ResolveModel, SecretReader } from '@parley/engine/ports'
import type { Config } from '../config.ts'
import { type AgentUse, createAgentLoader } from '../features/agents/public.ts'
import type { Retrieval } from '../features/knowledge/public.ts'
import type { Foundation } from './foundation.ts'

/** No answer takes longer, however steadily it streams. */
const TOTAL_TIMEOUT_MS = 300_000

/** Told to builders and models alike while no carrier is connected. */
const NO_SMS_CARRIER = 'No carrier that sends text messages is connected to this workspace.'

export interface DialogueOptions {
  readonly deadlines: Pick<Config, 'firstTokenTimeoutMs' | 'idleTokenTimeoutMs'>
  readonly agents: AgentUse
  readonly knowledge: Pick<Retrieval, 'forWorkspace'>
  /** Active signing secrets of a workspace: its tools are signed with them. */
  readonly secretsFor: (workspaceId: number) => Promise<readonly string[]>
  readonly namedSecrets: (workspaceId: number) => SecretReader
}

/** What the dialogue engine needs in a workspace that answers with these models. */
export type DialogueFor = (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies

export function connectDialogue(
  { runtime, storage, outbound }: Pick<Foundation, 'runtime' | 'storage' | 'outbound'>,
  { deadlines, agents, knowledge, secretsFor, namedSecrets }: DialogueOptions,
): DialogueFor {
  const { clock, makeId } = runtime
  const { database } = storage
  const { code, mcp, customLlm } = outbound.tools
  const httpTools = outbound.tools.http(secretsFor)
  const { firstTokenTimeoutMs: firstTokenMs, idleTokenTimeoutMs: idleMs } = deadlines
  const sms = { send: async () => ({ status: 'unsent', reason: NO_SMS_CARRIER }) as const }
  return (workspaceId, resolveModel) => ({
    resolveModel,
    httpTools: httpTools.forWorkspace(workspaceId),
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
    deadlines: { firstTokenMs, idleMs, totalMs: TOTAL_TIMEOUT_MS },
  })
}
