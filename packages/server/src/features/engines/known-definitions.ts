import { STORED_VALUE } from '@parley/contract/secret-reference'
import type { Reader } from '../../kernel/storage/database.ts'
import { mapSecrets } from './tool-secrets.ts'

/** Older versions that are searched for the values behind `__stored__`. */
const MAX_VERSIONS = 20

/**
 * Stored versions of an LLM configuration or flow, newest first, or a flow component, when `given` contains
 * `__stored__`. Lets an older version be restored although its tools are gone from the newest.
 */
export async function findKnownDefinitions(
  reader: Reader,
  given: object,
  { workspaceId, id }: { readonly workspaceId: number; readonly id: string | undefined },
): Promise<readonly object[]> {
  if (id === undefined || !mentionsStored(given)) return []
  const versions = await reader
    .selectFrom('resources')
    .innerJoin('resource_versions', 'resource_versions.resource_id', 'resources.resource_id')
    .select('resource_versions.definition')
    .where('resources.resource_id', '=', id)
    .where('resources.workspace_id', '=', workspaceId)
    .where('resources.kind', 'in', ['llm', 'conversation-flow'])
    .orderBy('resource_versions.version', 'desc')
    .limit(MAX_VERSIONS)
    .execute()
  const components = await reader
    .selectFrom('flow_components')
    .select('definition')
    .where('flow_component_id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .execute()
  return [...versions, ...components].map(({ definition }) => JSON.parse(definition) as object)
}

function mentionsStored(definition: object): boolean {
  let isMentioned = false
  mapSecrets(definition, (value) => {
    isMentioned ||= value === STORED_VALUE
    return value
  })
  return isMentioned
}

/** Which models are usable now. */
export interface ModelDirectory {
  /** `null` when no configured vendor serves the name. */
  resolve(name: string): unknown
  /** Usable names, for messages. */
  configured(): readonly string[]
  readonly defaultModel: string
}

/** The models of each workspace: the operator's and those of stored keys. */
export interface ModelDirectories {
  /** The current models; call it before a transaction. */
  forWorkspace(workspaceId: number): Promise<ModelDirectory>
}

/** Warnings about named models that cannot be used now. */
export function modelWarnings(
  models: Pick<ModelDirectory, 'resolve' | 'configured'>,
  names: readonly string[],
): string[] {
  return [...new Set(names)]
    .filter((name) => models.resolve(name) === null)
    .map((name) => {
      const configured = models.configured().join(', ')
      return `No configured provider serves the model "${name}", so conversations with it fail. Configured: ${configured}.`
    })
}
