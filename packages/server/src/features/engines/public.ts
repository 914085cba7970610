export { createDraftWrites, type DecideDraft } from './draft-writes.ts'
export { editReferencingDrafts as editDraftsMentioning } from './edit-drafts.ts'
export {
  findModelWarnings,
  findStoredDefinitions as findKnownDefinitions,
  type ModelDirectories,
  type ModelDirectory,
} from './known-definitions.ts'
export { findKnowledgeWarnings, findMissingAgentWarnings, findSecretWarnings } from './reference-checks.ts'
export { encryptStoredTools as sealStoredTools } from './seal-stored-tools.ts'
export type { AgentFollowers, EngineSource, EngineUsers, StoredEngineKind } from './stored-engines.ts'
export {
  buildUnaffectedAgentWarnings as buildUnreachedAgentWarnings,
  createEngineSource,
  createStoredEngines,
  type StoredEngines,
  type StoredEnginesDependencies,
} from './stored-engines.ts'
export { hideSecrets } from './tool-secrets.ts'
export { createToolVault, type ToolVault } from './tool-vault.ts'
export {
  buildMetadataFields,
  buildVersionFields,
  registerVersionedRoutes,
  type VersionedService,
  type Written,
} from './versioned-resource.ts'
