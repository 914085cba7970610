import type { TestToolBody, ToolTestResult } from '@parley/contract/tool-test'
import { channelOf } from '@parley/engine/dialogue/channel'
import type { AgentLoader } from '@parley/engine/dialogue/conversation'
import { planToolCall } from '@parley/engine/dialogue/tools/plan-tool-call'
import { runTools, type ToolEnvironment } from '@parley/engine/dialogue/tools/run-tools'
import { systemVariables } from '@parley/engine/dialogue/variables/system-variables'
import { applyVariableUpdates } from '@parley/engine/dialogue/variables/variable-updates'
import { mergeVariables } from '@parley/engine/dialogue/variables/variables'
import { findKnownDefinitions } from '../engines/public.ts'
import { type ToolTestDependencies, withoutSideEffects } from './playground-ports.ts'

export interface ToolTestService {
  /** Runs a tool once, as an agent would. */
  run(workspaceId: number, body: TestToolBody, signal: AbortSignal): Promise<ToolTestResult>
}

const KEEP_AGENTS: AgentLoader = { load: async () => ({ ok: false, message: 'agents are not swapped in a test.' }) }

export function createToolTestService({ dialogueFor, database, vault }: ToolTestDependencies): ToolTestService {
  return {
    async run(workspaceId, body, signal) {
      const known = await findKnownDefinitions(database.read, body, { workspaceId, id: body.secrets_from })
      const opened = vault.open(vault.seal(body, { workspaceId, known }), workspaceId)
      const { tool, args, dynamicVariables, mcps } = opened
      const dependencies = withoutSideEffects(
        dialogueFor(workspaceId, () => null),
        KEEP_AGENTS,
      )
      const { clock, makeId } = dependencies
      const call = { id: makeId('tool_call'), name: tool.name, argumentsText: JSON.stringify(args) }
      const open = mcps.map((server) => ({ ...server, require_approval: 'never' as const }))
      const channel = channelOf('chat')
      const plan = planToolCall(call, { tools: [tool], mcps: open, channel, resumed: false, mocks: [], approvals: [] })
      const session = { session_type: 'chat', chat_id: 'chat_test' }
      const system = systemVariables({ nowMs: clock.now(), timezone: 'UTC', session })
      const layers = { engineDefaults: {}, given: dynamicVariables, collected: {}, override: {} }
      const environment: ToolEnvironment = {
        dependencies,
        lookup: mergeVariables({ system, ...layers }),
        variables: { ...session, ...dynamicVariables },
        metadata: {},
        toolContext: { chat: { chat_id: 'chat_test', agent_id: '', agent_version: 0, metadata: {} } },
        signal,
      }
      const startedAt = clock.now()
      for await (const { result } of runTools([plan], environment)) {
        const { ok, content, variables } = result
        const durationMs = clock.now() - startedAt
        const learned = { ...applyVariableUpdates({}, variables) }
        return {
          status: ok ? 'success' : 'error',
          body: content,
          variables: learned,
          durationMs,
          error: ok ? null : content,
        }
      }
      const error = 'The request was cancelled.'
      return { status: 'error', body: '', variables: {}, durationMs: clock.now() - startedAt, error }
    },
  }
}
