import type { ErrorDetail } from '@parley/contract/errors'
import type { NamedVoices } from './agent-kind.ts'
import type { VoiceCatalog } from './agent-ports.ts'

/**
 * What is wrong with the voices that a body gives, together with those that are stored already: each given one is in the
 * catalogue, and those that stand in for the agent's own come from other providers, which do not fail with it.
 */
export async function checkVoices(
  voices: VoiceCatalog,
  workspaceId: number,
  { given, stored }: { readonly given: NamedVoices; readonly stored: NamedVoices },
): Promise<ErrorDetail[]> {
  const voiceId = given.voice_id ?? stored.voice_id
  const fallbackVoiceIds = given.fallback_voice_ids ?? stored.fallback_voice_ids ?? []
  if (given.voice_id === undefined && given.fallback_voice_ids === undefined) return []
  const vendorOf = async (id: string | undefined): Promise<string | null> =>
    id !== undefined && (await voices.has(workspaceId, id))
      ? ((await voices.get(workspaceId, id)).provider ?? '')
      : null

  const own = await vendorOf(voiceId)
  const problems: ErrorDetail[] = []
  if (own === null && given.voice_id !== undefined) problems.push(unknownVoice('voice_id', given.voice_id))
  for (const [index, id] of fallbackVoiceIds.entries()) {
    const path = `fallback_voice_ids[${index}]`
    const provider = await vendorOf(id)
    // One that was stored and is gone since is nothing that this body could have got wrong.
    if (provider === null && given.fallback_voice_ids !== undefined) problems.push(unknownVoice(path, id))
    if (provider !== null && provider === own) problems.push({ path, message: SAME_VENDOR })
  }
  return problems
}

const SAME_VENDOR = 'must be a voice of another provider than that of voice_id'

function unknownVoice(path: string, voiceId: string): ErrorDetail {
  return { path, message: `no voice "${voiceId}" is in the catalogue of this workspace` }
}
