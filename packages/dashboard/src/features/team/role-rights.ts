import { isLevelAtLeast, MEMBER_ROLES, type MemberRole, RIGHTS, type Right } from '@parley/contract/access'
import { message } from '../../lib/language.ts'

/** Catalog messages. */
export const ROLE_DESCRIPTIONS: Readonly<Record<MemberRole, string>> = {
  viewer: message('Can view everything.'),
  editor: message('Can also edit agents and their resources, and start calls and chats.'),
  admin: message('Can also manage members, secrets and keys.'),
}

const RIGHT_LABELS = {
  read: message('View agents, calls, chats, numbers and usage'),
  'own-tokens': message('Create and revoke your own API tokens'),
  write: message('Create, edit, publish and delete agents, prompts, flows, numbers and knowledge bases'),
  calls: message('Start and update calls and chats'),
  admin: message('Manage members, all tokens, webhooks, secrets and provider keys; delete calls; view the audit log'),
} as const satisfies Partial<Record<Right, string>>

export interface RightRow {
  readonly right: Right
  /** A catalog message. */
  readonly label: string
  readonly roles: Readonly<Record<MemberRole, boolean>>
}

/** The rights of each role in a workspace, as enforced by the server. */
export const RIGHT_ROWS: readonly RightRow[] = (Object.keys(RIGHT_LABELS) as (keyof typeof RIGHT_LABELS)[]).map(
  (right) => ({
    right,
    label: RIGHT_LABELS[right],
    roles: Object.fromEntries(
      MEMBER_ROLES.map((role) => [role, isLevelAtLeast(role, RIGHTS[right].level)]),
    ) as unknown as Readonly<Record<MemberRole, boolean>>,
  }),
)
