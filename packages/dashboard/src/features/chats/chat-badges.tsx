import type { ChatStatus } from '@parley/contract/chat'
import { Badge } from '../../components/badge.tsx'
import { useText } from '../../lib/language.ts'
import { STATUS_LOOKS } from './chat-words.ts'

/** How far a chat is, in a word. */
export function ChatStatusBadge({ status }: { readonly status: ChatStatus }) {
  const t = useText()
  const { label, tone } = STATUS_LOOKS[status]
  return <Badge tone={tone}>{t(label)}</Badge>
}
