import type { Scope } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** What a login may do, in words for `t`. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: message('Read'),
  write: message('Change'),
  calls: message('Hold calls and chats'),
  admin: message('Administer'),
}
