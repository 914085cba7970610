import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { ResolveModel } from '@parley/engine/ports'
import type { Reader } from '../../kernel/storage/database.ts'
import type { AgentUse } from '../agents/public.ts'
import type { ToolVault } from '../engines/public.ts'

export interface PlaygroundDependencies {
  readonly agents: Pick<AgentUse, 'preview'>
  readonly models: {
    forWorkspace(workspaceId: number): Promise<{ readonly resolve: ResolveModel; configured(): readonly string[] }>
  }
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
}

/** Needs of tool tests besides the engine: values for `__stored__`. */
export interface ToolTestDependencies extends Pick<PlaygroundDependencies, 'dialogueFor'> {
  readonly database: { readonly read: Reader }
  readonly vault: ToolVault
}

/** Ports without side effects: a test sends no messages and freezes no versions. */
export function withoutSideEffects(
  dependencies: DialogueDependencies,
  agents: DialogueDependencies['agents'],
): DialogueDependencies {
  const reason = 'Messages are not sent in the playground.'
  return { ...dependencies, agents, sms: { send: async () => ({ status: 'unsent', reason }) } }
}
