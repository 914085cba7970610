import type { EngineSource, StoredEngineKind } from './engine-source.ts'
import { VersionStore } from './version-store.ts'

/** Looks up and freezes the engines of one kind where their versions are stored. */
export function createEngineSource<Definition>(kind: StoredEngineKind): EngineSource<Definition> {
  const store = new VersionStore<Definition>(kind)
  return {
    find: (reader, workspaceId, engineId, selector) => store.find(reader, workspaceId, engineId, selector),
    freeze: (transaction, target) => store.freeze(transaction, target, null),
  }
}
