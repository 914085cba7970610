/** What the rest of the server may use of this feature. */

export { agentWarnings } from './agent-references.ts'
export { createDraftWrites, type DecideDraft } from './draft-writes.ts'
export type { AgentFollowers, EngineSource, EngineUsers, StoredEngineKind } from './engine-source.ts'
export { knowledgeWarnings } from './knowledge-references.ts'
export { findKnownDefinitions } from './known-definitions.ts'
export { type ModelDirectories, type ModelDirectory, modelWarnings } from './model-directory.ts'
export { sealStoredTools } from './seal-stored-tools.ts'
export { secretWarnings } from './secret-references.ts'
export { createEngineSource } from './stored-engine-source.ts'
export {
  createStoredEngines,
  type EngineTarget,
  type StoredEngines,
  type StoredEnginesDependencies,
  unreachedAgentWarnings,
} from './stored-engines.ts'
export { hideSecrets } from './tool-secrets.ts'
export { createToolVault, type ToolVault } from './tool-vault.ts'
