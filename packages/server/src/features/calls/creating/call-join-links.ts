import { type Actor, hasWorkspaceLevel } from '../../../kernel/access/actor.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { CallLinks, JoinLink } from '../call-responses.ts'
import type { CallTokens } from './call-tokens.ts'

/** Tells callers of the API how a call that waits for its caller is joined, and where its recording is. */
export interface CallJoinLinks {
  /** What this actor is told: nothing of calls that it may not join. */
  forActor(actor: Actor): Promise<CallLinks>
  /** Where recordings are; for those who may read the calls. */
  recordings(): Promise<CallLinks['getRecordingUrl']>
}

/** Of a call that nobody can join, or nobody is told how. */
export const NO_JOIN_LINK: JoinLink = { accessToken: null, webCallUrl: null }

export function createCallJoinLinks({
  tokens,
  clock,
  baseUrl,
  recordingLinks,
}: {
  readonly tokens: () => Promise<CallTokens>
  readonly clock: Omit<SharedClock, 'after'>
  /** Where people reach this server, without a slash at the end. */
  readonly baseUrl: () => string
  /** Makes links to recordings. */
  readonly recordingLinks: () => Promise<(callId: string) => string>
}): CallJoinLinks {
  async function recordings(): Promise<CallLinks['getRecordingUrl']> {
    const linkTo = await recordingLinks()
    return ({ call_id, recording, recording_url }) => (recording === null ? recording_url : linkTo(call_id))
  }

  return {
    recordings,

    async forActor(actor) {
      const [{ sign }, getRecordingUrl] = await Promise.all([tokens(), recordings()])
      const now = clock.now()
      const getJoinLink: CallLinks['getJoinLink'] = (row) => {
        const { call_id: callId, workspace_id, status, expires_at, token_hash } = row
        if (status !== 'registered' || token_hash === null || expires_at === null || expires_at <= now)
          return NO_JOIN_LINK
        if (!hasWorkspaceLevel(actor, 'calls', workspace_id)) return NO_JOIN_LINK
        const accessToken = sign('join', { callId, expiresAtMs: expires_at, credentialId: null })
        return { accessToken, webCallUrl: `${baseUrl()}/call/${callId}#token=${accessToken}` }
      }
      return { getJoinLink, getRecordingUrl }
    },
  }
}
