import { isLevelAtLeast, MEMBER_ROLES, type MemberRole, RIGHTS, type Right } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** What a role is for, in a sentence for `t`. */
export const ROLE_MEANINGS: Readonly<Record<MemberRole, string>> = {
  viewer: message('Looks at everything and changes nothing.'),
  editor: message('Makes agents and all that belongs to them, and holds calls and chats.'),
  admin: message('Does all that, and looks after members, secrets and keys too.'),
}

/** Rights that a role in a workspace can bring, in words for `t`. */
const RIGHT_WORDS = {
  read: message('Look at agents, calls, chats, numbers and figures'),
  'own-tokens': message('Make and revoke own API tokens'),
  write: message('Make, change, publish and delete agents, prompts, flows, numbers and knowledge'),
  calls: message('Hold calls and chats, and change them'),
  admin: message('Members, tokens of others, webhooks, secrets, provider keys, audit log; delete calls'),
} as const satisfies Partial<Record<Right, string>>

export interface RightRow {
  readonly right: Right
  /** In English, for `t`. */
  readonly words: string
  readonly roles: Readonly<Record<MemberRole, boolean>>
}

/** What each role may do in a workspace, as the server decides it. */
export const RIGHT_ROWS: readonly RightRow[] = (Object.keys(RIGHT_WORDS) as (keyof typeof RIGHT_WORDS)[]).map(
  (right) => ({
    right,
    words: RIGHT_WORDS[right],
    roles: Object.fromEntries(
      MEMBER_ROLES.map((role) => [role, isLevelAtLeast(role, RIGHTS[right].level)]),
    ) as unknown as Readonly<Record<MemberRole, boolean>>,
  }),
)
