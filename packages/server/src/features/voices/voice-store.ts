import type { UpdateVoiceBody } from '@parley/contract/voice'
import { type Page, type PageRequest, readNewest } from '../../kernel/api/paging.ts'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import { prepareQuery } from '../../kernel/storage/prepared-query.ts'
import type { VoiceRow } from '../../tables/resource-tables.ts'
import type { AccountVoice, CatalogVoice, ResolvedVoice, SharedVoice } from './voice-ports.ts'

/** A voice to add to a workspace. */
interface NewVoice extends AccountVoice, SharedVoice {
  readonly voiceId: string
  readonly workspaceId: number
  readonly provider: string
  readonly playbackOverrideUrl: string | null
  readonly now: number
}

const selectVoice = prepareQuery<{ readonly workspaceId: number; readonly voiceId: string }, VoiceRow>(
  (reader, param) =>
    reader
      .selectFrom('voices')
      .selectAll()
      .where('voice_id', '=', param('voiceId'))
      .where('workspace_id', '=', param('workspaceId')),
)

/** Finds an added voice of the workspace, or returns null if the id is unknown. */
export async function findVoice(reader: Reader, workspaceId: number, voiceId: string): Promise<CatalogVoice | null> {
  const [row] = await selectVoice(reader, { workspaceId, voiceId })
  return row === undefined ? null : toVoice(row)
}

/** Returns how to synthesize an added voice of the workspace. */
export async function findAccountVoice(
  reader: Reader,
  workspaceId: number,
  voiceId: string,
): Promise<ResolvedVoice | null> {
  const [row] = await selectVoice(reader, { workspaceId, voiceId })
  if (row === undefined) return null
  return { provider: row.provider, vendorVoice: row.account_voice_id, gender: row.gender }
}

/** Maximum number of added voices that are compared with a vendor's list. */
const MAX_COMPARED_VOICES = 2_000

/** Lists the vendors' IDs of the workspace's added voices. */
export async function listAccountVoices(
  reader: Reader,
  workspaceId: number,
): Promise<readonly Pick<ResolvedVoice, 'provider' | 'vendorVoice'>[]> {
  return await reader
    .selectFrom('voices')
    .select(['provider', 'account_voice_id as vendorVoice'])
    .where('workspace_id', '=', workspaceId)
    .limit(MAX_COMPARED_VOICES)
    .execute()
}

/** Lists added voices after a position, newest first. */
export async function listStoredVoices(
  reader: Reader,
  workspaceId: number,
  page: PageRequest,
): Promise<Page<CatalogVoice>> {
  const query = reader.selectFrom('voices').selectAll().where('workspace_id', '=', workspaceId)
  return await readNewest(query, page, ['created_at', 'voice_id'], toVoice)
}

/** Whether the workspace already has the vendor's voice. */
export async function isVoiceAdded(
  reader: Reader,
  workspaceId: number,
  vendorVoice: { readonly provider: string; readonly providerVoiceId: string },
): Promise<boolean> {
  const row = await reader
    .selectFrom('voices')
    .select('voice_id')
    .where('workspace_id', '=', workspaceId)
    .where('provider', '=', vendorVoice.provider)
    .where('provider_voice_id', '=', vendorVoice.providerVoiceId)
    .executeTakeFirst()
  return row !== undefined
}

/** Inserts a voice. Returns null if the same vendor voice was added concurrently. */
export async function insertVoice(transaction: Transaction, voice: NewVoice): Promise<CatalogVoice | null> {
  const row = await transaction
    .insertInto('voices')
    .values({
      voice_id: voice.voiceId,
      workspace_id: voice.workspaceId,
      provider: voice.provider,
      provider_voice_id: voice.providerVoiceId,
      account_voice_id: voice.accountVoiceId,
      public_user_id: voice.publicUserId,
      name: voice.name,
      gender: voice.gender,
      language: voice.language,
      accent: voice.accent,
      description: voice.description,
      preview_url: voice.previewUrl,
      playback_override_url: voice.playbackOverrideUrl,
      tags: JSON.stringify(voice.tags),
      created_at: voice.now,
      updated_at: voice.now,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'provider', 'provider_voice_id']).doNothing())
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? null : toVoice(row)
}

/** Updates an added voice. Returns null if the workspace does not have the voice. */
export async function updateStoredVoice(
  transaction: Transaction,
  { workspaceId, voiceId, now }: { readonly workspaceId: number; readonly voiceId: string; readonly now: number },
  { name, playbackOverrideUrl }: Pick<UpdateVoiceBody, 'name' | 'playbackOverrideUrl'>,
): Promise<CatalogVoice | null> {
  const row = await transaction
    .updateTable('voices')
    .set({
      ...(name !== undefined && { name }),
      ...(playbackOverrideUrl !== undefined && { playback_override_url: playbackOverrideUrl }),
      updated_at: now,
    })
    .where('voice_id', '=', voiceId)
    .where('workspace_id', '=', workspaceId)
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? null : toVoice(row)
}

export async function removeVoice(transaction: Transaction, workspaceId: number, voiceId: string): Promise<void> {
  await transaction
    .deleteFrom('voices')
    .where('voice_id', '=', voiceId)
    .where('workspace_id', '=', workspaceId)
    .execute()
}

function toVoice(row: VoiceRow): CatalogVoice {
  return {
    voiceId: row.voice_id,
    name: row.name,
    gender: row.gender,
    language: row.language,
    accent: row.accent,
    description: row.description,
    provider: row.provider,
    previewUrl: row.preview_url,
    playbackOverrideUrl: row.playback_override_url,
    tags: JSON.parse(row.tags) as string[],
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}
