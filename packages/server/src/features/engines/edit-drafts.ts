import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../kernel/storage/database.ts'
import { type ResourceKind, selectLatestVersions, VersionStore } from '../../kernel/versions/version-store.ts'

interface DraftReference {
  readonly kind: ResourceKind
  readonly workspaceId: number
  /** The resource id that the definitions contain. */
  readonly mentionedId: string
  readonly now: number
}

/**
 * Edits the unused drafts of one kind that contain a resource id. Each change counts as an edit. `edit` returns null to skip a
 * draft.
 */
export async function editReferencingDrafts<Definition>(
  transaction: Transaction,
  { kind, workspaceId, mentionedId, now }: DraftReference,
  edit: (definition: Definition) => Definition | null,
): Promise<void> {
  const store = new VersionStore<Definition>(kind)
  const drafts = await selectLatestVersions(transaction, [kind], workspaceId)
    .select(['resources.resource_id as id', 'resource_versions.version', 'resource_versions.definition'])
    .where('resource_versions.frozen_at', 'is', null)
    // Avoids reading unrelated drafts. `edit` skips false matches.
    .where(buildMentionCondition(mentionedId))
    .orderBy('resources.resource_id')
    .execute()
  for (const { id, version, definition } of drafts) {
    const editedDefinition = edit(JSON.parse(definition) as Definition)
    if (editedDefinition !== null)
      await store.updateDraft(transaction, { id, version, now }, { definition: editedDefinition })
  }
}

function buildMentionCondition(id: string): RawBuilder<boolean> {
  const pattern = `%${JSON.stringify(id).replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`resource_versions.definition like ${pattern} escape '\\'`
}
