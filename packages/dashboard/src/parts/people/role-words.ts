import type { ActorRole, MemberRole, WorkspaceLevel } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** What a member is in a workspace, in words for `t`. */
export const MEMBER_WORDS: Readonly<Record<MemberRole, string>> = {
  viewer: message('Viewer'),
  editor: message('Editor'),
  admin: message('Administrator'),
}

/** How far rights go in a workspace, in words for `t`. */
export const LEVEL_WORDS: Readonly<Record<WorkspaceLevel, string>> = {
  ...MEMBER_WORDS,
  account: message('Administrator of its account'),
}

/** Kinds of people in words for `t`. */
export const ACTOR_WORDS: Readonly<Record<ActorRole, string>> = {
  end_user: message('Member of workspaces'),
  tenant_admin: message('Administrator of an account'),
  provider_admin: message('Administrator of a provider'),
  platform_admin: message('Administrator of the installation'),
}
