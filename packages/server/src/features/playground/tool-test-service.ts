import type { TestToolBody, ToolTestResult } from '@parley/contract/tool-test'
import { createChannel } from '@parley/engine/dialogue/channel'
import type { AgentLoader, DialogueDependencies } from '@parley/engine/dialogue/conversation'
import { planToolCall } from '@parley/engine/dialogue/tools/plan-tool-call'
import { runTools, type ToolEnvironment } from '@parley/engine/dialogue/tools/run-tools'
import { createSystemVariables } from '@parley/engine/dialogue/variables/system-variables'
import { applyVariableUpdates } from '@parley/engine/dialogue/variables/variable-updates'
import { mergeVariables } from '@parley/engine/dialogue/variables/variables'
import type { ResolveModel } from '@parley/engine/ports'
import type { Reader } from '../../kernel/storage/database.ts'
import type { AgentResolver } from '../agents/public.ts'
import { findStoredDefinitions, type ToolVault } from '../engines/public.ts'

export interface ToolTestService {
  /** Runs a tool once, as an agent would. */
  run(workspaceId: number, body: TestToolBody, signal: AbortSignal): Promise<ToolTestResult>
}

const DISABLED_AGENT_LOADER: AgentLoader = {
  load: async () => ({ ok: false, message: 'Agents cannot be swapped in a test.' }),
}

export function createToolTestService({
  createDialogueDependencies,
  database,
  vault,
}: ToolTestDependencies): ToolTestService {
  return {
    async run(workspaceId, body, signal) {
      const storedDefinitions = await findStoredDefinitions(database.read, body, { workspaceId, id: body.secrets_from })
      const decryptedBody = vault.decrypt(vault.encrypt(body, { workspaceId, storedDefinitions }), workspaceId)
      const { tool, args, dynamicVariables, mcps } = decryptedBody
      const dependencies = disableSideEffects(
        createDialogueDependencies(workspaceId, () => null),
        DISABLED_AGENT_LOADER,
      )
      const { clock, makeId } = dependencies
      const call = { id: makeId('tool_call'), name: tool.name, argumentsText: JSON.stringify(args) }
      const approvedServers = mcps.map((server) => ({ ...server, require_approval: 'never' as const }))
      const channel = createChannel('chat')
      const plan = planToolCall(call, {
        tools: [tool],
        mcps: approvedServers,
        channel,
        resumed: false,
        mocks: [],
        approvals: [],
      })
      const session = { session_type: 'chat', chat_id: 'chat_test' }
      const systemVariables = createSystemVariables({ nowMs: clock.now(), timezone: 'UTC', session })
      const layers = { engineDefaults: {}, given: dynamicVariables, collected: {}, override: {} }
      const environment: ToolEnvironment = {
        dependencies,
        lookup: mergeVariables({ system: systemVariables, ...layers }),
        variables: { ...session, ...dynamicVariables },
        metadata: {},
        toolContext: { chat: { chat_id: 'chat_test', agent_id: '', agent_version: 0, metadata: {} } },
        signal,
      }
      const startedAt = clock.now()
      for await (const { result } of runTools([plan], environment)) {
        const { ok, content, variables } = result
        const durationMs = clock.now() - startedAt
        const collectedVariables = { ...applyVariableUpdates({}, variables) }
        return {
          status: ok ? 'success' : 'error',
          body: content,
          variables: collectedVariables,
          durationMs,
          error: ok ? null : content,
        }
      }
      const error = 'The request was cancelled.'
      return { status: 'error', body: '', variables: {}, durationMs: clock.now() - startedAt, error }
    },
  }
}

export interface PlaygroundDependencies {
  readonly agents: Pick<AgentResolver, 'preview'>
  readonly models: {
    forWorkspace(workspaceId: number): Promise<{ readonly resolve: ResolveModel; listConfigured(): readonly string[] }>
  }
  readonly createDialogueDependencies: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
}

/** `database` and `vault` provide the secrets that a request replaces with `__stored__`. */
interface ToolTestDependencies extends Pick<PlaygroundDependencies, 'createDialogueDependencies'> {
  readonly database: { readonly read: Reader }
  readonly vault: ToolVault
}

/** Replaces ports that have side effects, so that a test sends no messages and freezes no versions. */
export function disableSideEffects(
  dependencies: DialogueDependencies,
  agents: DialogueDependencies['agents'],
): DialogueDependencies {
  const reason = 'Messages are not sent in the playground.'
  return { ...dependencies, agents, sms: { send: async () => ({ status: 'unsent', reason }) } }
}
