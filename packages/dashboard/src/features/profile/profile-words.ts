import type { ActorRole, Scope, WorkspaceLevel } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** Kinds of people in words for `t`. */
export const ROLE_WORDS: Readonly<Record<ActorRole, string>> = {
  end_user: message('Member of workspaces'),
  tenant_admin: message('Administrator of an account'),
  provider_admin: message('Administrator of a provider'),
  platform_admin: message('Administrator of the installation'),
}

/** How far rights go in a workspace, in words for `t`. */
export const LEVEL_WORDS: Readonly<Record<WorkspaceLevel, string>> = {
  viewer: message('Viewer'),
  editor: message('Editor'),
  admin: message('Administrator'),
  account: message('Administrator of its account'),
}

/** What a login may do, in words for `t`. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: message('Read'),
  write: message('Change'),
  calls: message('Hold calls and chats'),
  admin: message('Administer'),
}
