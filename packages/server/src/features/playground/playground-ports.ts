import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { ResolveModel } from '@parley/engine/ports'
import type { Reader } from '../../kernel/storage/database.ts'
import type { AgentUse } from '../agents/public.ts'
import type { ToolVault } from '../engines/public.ts'

/** What trying things out needs of others. */

export interface PlaygroundDependencies {
  readonly agents: Pick<AgentUse, 'preview'>
  readonly models: {
    forWorkspace(workspaceId: number): Promise<{ readonly resolve: ResolveModel; configured(): readonly string[] }>
  }
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
}

/** What trying a tool out needs beside the engine: values for `__stored__`. */
export interface ToolTestDependencies extends Pick<PlaygroundDependencies, 'dialogueFor'> {
  readonly database: { readonly read: Reader }
  readonly vault: ToolVault
}

/** Ports that must not reach anybody: no message is sent and no version frozen while something is only tried. */
export function withoutSideEffects(
  dependencies: DialogueDependencies,
  agents: DialogueDependencies['agents'],
): DialogueDependencies {
  const reason = 'Messages are not sent while an agent is only tried.'
  return { ...dependencies, agents, sms: { send: async () => ({ status: 'unsent', reason }) } }
}
