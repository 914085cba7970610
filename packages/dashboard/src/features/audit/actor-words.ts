import type { ActorRole } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** What somebody acted as, in words for `t`. */
export const ACTOR_WORDS: Readonly<Record<ActorRole, string>> = {
  end_user: message('Member of workspaces'),
  tenant_admin: message('Administrator of an account'),
  provider_admin: message('Administrator of a provider'),
  platform_admin: message('Administrator of the installation'),
}
