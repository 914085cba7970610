export { createDraftWrites, type DecideDraft } from './draft-writes.ts'
export { editReferencingDrafts } from './edit-drafts.ts'
export { encryptStoredTools } from './encrypt-stored-tools.ts'
export { findKnowledgeWarnings, findMissingAgentWarnings, findSecretWarnings } from './reference-checks.ts'
export {
  findModelWarnings,
  findStoredDefinitions,
  type ModelDirectories,
  type ModelDirectory,
} from './stored-definitions.ts'
export type { AgentFollowers, EngineSource, EngineUsers, StoredEngineKind } from './stored-engines.ts'
export {
  buildUnaffectedAgentWarnings,
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
