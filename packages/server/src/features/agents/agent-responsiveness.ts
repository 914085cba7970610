import type { Reader } from '../../kernel/storage/database.ts'
import type { Versioned } from '../../kernel/versions/version-store.ts'
import { type AgentDefinition, engineKindOf } from './agent-definition.ts'
import type { LlmSource } from './agent-ports.ts'

/** Of engines that have no such setting. */
export const DEFAULT_RESPONSIVENESS = 'fast'

/** How fast the engine of each version answers, for one workspace's agents and in one query however many there are. */
export async function responsivenessOf<Definition extends AgentDefinition>(
  reader: Reader,
  llms: Pick<LlmSource, 'findResponsiveness'>,
  versions: readonly Versioned<Definition>[],
): Promise<(version: Versioned<Definition>) => string> {
  const onLlms = versions.filter(({ definition }) => engineKindOf(definition) === 'llm')
  const [first] = onLlms
  if (first === undefined) return () => DEFAULT_RESPONSIVENESS
  const values = await llms.findResponsiveness(
    reader,
    first.workspaceId,
    onLlms.flatMap(({ engine }) => engine ?? []),
  )
  const found = new Map(onLlms.map((version, index) => [version, values[index]]))
  return (version) => found.get(version) ?? DEFAULT_RESPONSIVENESS
}
