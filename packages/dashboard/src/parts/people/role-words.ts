import type { ActorRole, MemberRole, WorkspaceLevel } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** English labels, for `t`. */
export const MEMBER_WORDS: Readonly<Record<MemberRole, string>> = {
  viewer: message('Viewer'),
  editor: message('Editor'),
  admin: message('Administrator'),
}

export const LEVEL_WORDS: Readonly<Record<WorkspaceLevel, string>> = {
  ...MEMBER_WORDS,
  account: message('Account administrator'),
}

export const ACTOR_WORDS: Readonly<Record<ActorRole, string>> = {
  end_user: message('Workspace member'),
  tenant_admin: message('Account administrator'),
  provider_admin: message('Provider administrator'),
  platform_admin: message('Platform administrator'),
}
