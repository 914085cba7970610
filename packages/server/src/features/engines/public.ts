export { createDraftWrites, type DecideDraft } from './draft-writes.ts'
export { editDraftsMentioning } from './edit-drafts.ts'
export {
  findKnownDefinitions,
  findModelWarnings,
  type ModelDirectories,
  type ModelDirectory,
} from './known-definitions.ts'
export { findKnowledgeWarnings, findMissingAgentWarnings, findSecretWarnings } from './reference-checks.ts'
export { sealStoredTools } from './seal-stored-tools.ts'
export type { AgentFollowers, EngineSource, EngineUsers, StoredEngineKind } from './stored-engines.ts'
export {
  buildUnreachedAgentWarnings,
  createEngineSource,
  createStoredEngines,
  type StoredEngines,
  type StoredEnginesDependencies,
} from './stored-engines.ts'
export { hideSecrets } from './tool-secrets.ts'
export { createToolVault, type ToolVault } from './tool-vault.ts'
export {
  buildOutlineFields,
  buildVersionFields,
  registerVersionedRoutes,
  type VersionedService,
  type Written,
} from './versioned-resource.ts'
