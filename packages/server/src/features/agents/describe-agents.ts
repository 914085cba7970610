import type { Agent } from '@parley/contract/agent'
import type { Reader } from '../../kernel/database.ts'
import type { Versioned } from '../../kernel/version-store.ts'
import { type AgentDefinition, kindOf, toAgent } from './agent-definition.ts'
import type { LlmSource } from './agent-ports.ts'

/** Of engines that have no such setting. */
const DEFAULT_RESPONSIVENESS = 'fast'

/** Versions of one workspace's agents as answers, in one query however many there are. */
export async function describeAgents(
  reader: Reader,
  llms: Pick<LlmSource, 'findResponsiveness'>,
  versions: readonly Versioned<AgentDefinition>[],
): Promise<Agent[]> {
  const [first] = versions
  if (first === undefined) return []
  const onLlms = versions.filter(({ definition }) => kindOf(definition) === 'llm')
  const values = await llms.findResponsiveness(
    reader,
    first.workspaceId,
    onLlms.flatMap(({ engine }) => engine ?? []),
  )
  const responsiveness = new Map(onLlms.map((version, index) => [version, values[index]]))
  return versions.map((found) =>
    toAgent(found, {
      responsiveness: responsiveness.get(found) ?? DEFAULT_RESPONSIVENESS,
      isActive: found.version === found.activeVersion,
    }),
  )
}
