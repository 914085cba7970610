import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../kernel/storage/database.ts'
import { type ResourceKind, selectLatestVersions, VersionStore } from '../../kernel/versions/version-store.ts'

interface DraftMention {
  readonly kind: ResourceKind
  readonly workspaceId: number
  /** The resource id that the definitions contain. */
  readonly mentionedId: string
  readonly now: number
}

/**
 * Edits the unused drafts of one kind that mention a resource id. Each change counts as an edit, and frozen versions stay
 * unchanged. `edit` returns null to skip a draft.
 */
export async function editDraftsMentioning<Definition>(
  transaction: Transaction,
  { kind, workspaceId, mentionedId, now }: DraftMention,
  edit: (definition: Definition) => Definition | null,
): Promise<void> {
  const store = new VersionStore<Definition>(kind)
  const drafts = await selectLatestVersions(transaction, [kind], workspaceId)
    .select(['resources.resource_id as id', 'resource_versions.version', 'resource_versions.definition'])
    .where('resource_versions.frozen_at', 'is', null)
    // This filter avoids reading unrelated drafts. `edit` decides.
    .where(buildMentionCondition(mentionedId))
    .orderBy('resources.resource_id')
    .execute()
  for (const { id, version, definition } of drafts) {
    const edited = edit(JSON.parse(definition) as Definition)
    if (edited !== null) await store.updateDraft(transaction, { id, version, now }, { definition: edited })
  }
}

function buildMentionCondition(id: string): RawBuilder<boolean> {
  const pattern = `%${JSON.stringify(id).replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`resource_versions.definition like ${pattern} escape '\\'`
}
