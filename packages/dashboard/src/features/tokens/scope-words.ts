import type { Scope } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** What a token with a scope may do, in words for `t`. */
export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: message('Read everything: agents, conversations, figures.'),
  write: message('Make, change and delete agents, prompts, flows, numbers and knowledge.'),
  calls: message('Hold calls and chats, and change them.'),
  admin: message('Administer: tokens, members, secrets, keys and workspaces.'),
}
