import { VersionStore } from '../../kernel/versions/version-store.ts'
import type { EngineSource, StoredEngineKind } from './engine-source.ts'

/** Looks up and freezes the engines of one kind where their versions are stored. `complete` fills in what older ones lack. */
export function createEngineSource<Definition>(
  kind: StoredEngineKind,
  complete: (stored: Definition) => Definition = (stored) => stored,
): EngineSource<Definition> {
  const store = new VersionStore<Definition>(kind)
  return {
    async find(reader, workspaceId, engineId, selector) {
      const found = await store.find(reader, workspaceId, engineId, selector)
      return found === null ? null : { ...found, definition: complete(found.definition) }
    },
    freeze: (transaction, target) => store.freeze(transaction, target, null),
  }
}
