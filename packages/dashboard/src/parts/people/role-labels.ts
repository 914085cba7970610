import type { ActorRole, MemberRole, WorkspaceLevel } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** Role labels, as catalog messages. */
export const MEMBER_LABELS: Readonly<Record<MemberRole, string>> = {
  viewer: message('Viewer'),
  editor: message('Editor'),
  admin: message('Administrator'),
}

export const LEVEL_LABELS: Readonly<Record<WorkspaceLevel, string>> = {
  ...MEMBER_LABELS,
  account: message('Account administrator'),
}

export const ACTOR_LABELS: Readonly<Record<ActorRole, string>> = {
  end_user: message('Workspace member'),
  tenant_admin: message('Account administrator'),
  provider_admin: message('Provider administrator'),
  platform_admin: message('Platform administrator'),
}
