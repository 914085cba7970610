import { Link } from '@tanstack/react-router'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { LlmUser } from './use-llm-users.ts'

/** The way to an agent that uses a configuration. */
export function UserLink({ user: { kind, id, name } }: { readonly user: LlmUser }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to={kind === 'agent' ? '/$workspaceId/agents/$agentId' : '/$workspaceId/chat-agents/$agentId'}
      params={{ workspaceId, agentId: id }}
      className="wrap-anywhere underline"
    >
      <bdi>{name === '' ? t('Without a name') : name}</bdi>
    </Link>
  )
}
