import { STORED_VALUE } from '@parley/contract/secret-reference'
import type { Reader } from '../../kernel/storage/database.ts'
import { mapSecrets } from './tool-secrets.ts'

/** Maximum number of versions that are searched for stored values. */
const MAX_VERSIONS = 20

/**
 * Returns the stored versions of an LLM configuration or flow, newest first, or the stored flow component. Returns an empty
 * list if the body does not contain `__stored__`. Includes older versions, so that clients can restore their tools.
 */
export async function findStoredDefinitions(
  reader: Reader,
  body: object,
  { workspaceId, id }: { readonly workspaceId: number; readonly id: string | undefined },
): Promise<readonly object[]> {
  if (id === undefined || !hasStoredPlaceholder(body)) return []
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

function hasStoredPlaceholder(definition: object): boolean {
  let hasPlaceholder = false
  mapSecrets(definition, (value) => {
    hasPlaceholder ||= value === STORED_VALUE
    return value
  })
  return hasPlaceholder
}

/** The models that a workspace can currently use. */
export interface ModelDirectory {
  /** Resolves a model name. Returns `null` if no configured vendor serves the model. */
  resolve(name: string): unknown
  /** Returns the usable model names for messages. */
  listConfigured(): readonly string[]
  readonly defaultModel: string
}

/** Provides each workspace's models, from the operator's keys and the workspace's stored keys. */
export interface ModelDirectories {
  /** Returns the current models. Must be called outside a transaction. */
  forWorkspace(workspaceId: number): Promise<ModelDirectory>
}

/** Returns warnings about models that no configured provider serves. */
export function findModelWarnings(
  models: Pick<ModelDirectory, 'resolve' | 'listConfigured'>,
  names: readonly string[],
): string[] {
  return [...new Set(names)]
    .filter((name) => models.resolve(name) === null)
    .map((name) => {
      const configuredModels = models.listConfigured().join(', ')
      return `No configured provider serves the model "${name}", so conversations with it fail. Configured: ${configuredModels}.`
    })
}
