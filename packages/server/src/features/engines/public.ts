export { createDraftWrites, type DecideDraft } from './draft-writes.ts'
export { editDraftsMentioning } from './edit-drafts.ts'
export { findKnownDefinitions, type ModelDirectories, type ModelDirectory, modelWarnings } from './known-definitions.ts'
export { agentWarnings, knowledgeWarnings, secretWarnings } from './reference-checks.ts'
export { sealStoredTools } from './seal-stored-tools.ts'
export type { AgentFollowers, EngineSource, EngineUsers, StoredEngineKind } from './stored-engines.ts'
export {
  createEngineSource,
  createStoredEngines,
  type StoredEngines,
  type StoredEnginesDependencies,
  unreachedAgentWarnings,
} from './stored-engines.ts'
export { hideSecrets } from './tool-secrets.ts'
export { createToolVault, type ToolVault } from './tool-vault.ts'
export {
  outlineFields,
  registerVersionedRoutes,
  type VersionedService,
  versionFields,
  type Written,
} from './versioned-resource.ts'
