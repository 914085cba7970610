import { Link } from '@tanstack/react-router'
import { CopyText } from '../../components/copy-button.tsx'
import { Moment } from '../../components/moment.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import type { ValueOf } from '../../lib/api/request.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { productWord } from '../../parts/transcript/cost-words.ts'
import { TYPE_WORDS } from './chat-words.ts'

/** With whom, when, and what it cost. */
export function ChatFacts({ chat }: { readonly chat: ValueOf<'getChat'> }) {
  const t = useText()
  const formats = useFormats()
  const { chatCost, agentPath } = chat
  const dollars = (sum: number | null): string => (sum === null ? t('not known') : formats.dollars(sum))
  const productName = (product: string): string => {
    const word = productWord(product)
    return word === null ? product : t(word)
  }
  return (
    <>
      <Panel title={t('Details')}>
        <Facts
          items={[
            [t('Agent'), <AgentLink key="agent" chat={chat} />],
            ...agentPath
              .slice(1)
              .map(
                (step, at) =>
                  [t('Then, {number}', { number: at + 2 }), `${step.agentId}, v${step.agentVersion}`] as const,
              ),
            [t('Type'), t(TYPE_WORDS[chat.type])],
            [t('Began'), <Moment key="began" at={chat.startedAt} />],
            [t('Ended'), <Moment key="ended" at={chat.endedAt} />],
            [t('Chat id'), <CopyText key="id" text={chat.chatId} />],
            [t('Agent id'), <CopyText key="agent-id" text={chat.agentId} />],
          ]}
        />
      </Panel>
      <Panel title={t('Cost')} description={t('US dollars. What has no known price is not guessed.')}>
        <ul className="flex flex-col divide-y divide-line">
          {chatCost.items.map((item) => (
            <li key={`${item.product} ${item.model}`} className="flex items-baseline gap-3 py-1.5">
              <span dir="auto" className="min-w-0 flex-1">
                {item.model ?? productName(item.product)}
                <span className="block text-xs text-muted">
                  {t('{input, number} tokens read, {output, number} written', {
                    input: item.inputTokens,
                    output: item.outputTokens,
                  })}
                </span>
              </span>
              <span className="tabular-nums">{dollars(item.cost)}</span>
            </li>
          ))}
        </ul>
        <p className="flex justify-between gap-3 font-medium">
          <span>{t('Charged')}</span>
          <span className="tabular-nums">{dollars(chatCost.total)}</span>
        </p>
      </Panel>
    </>
  )
}

/** Chats are held by agents of two kinds, each with pages of its own. */
function AgentLink({ chat }: { readonly chat: ValueOf<'getChat'> }) {
  const t = useText()
  const chatAgents = useChoices('chatAgents')
  const { workspaceId, agentId, agentName, version } = chat
  const words = `${agentName || t('Without a name')}, v${version}`
  const isChatAgent = chatAgents.choices.some(({ id }) => id === agentId)
  return isChatAgent ? (
    <Link to="/$workspaceId/chat-agents/$agentId" params={{ workspaceId, agentId }} className="underline">
      {words}
    </Link>
  ) : (
    <Link to="/$workspaceId/agents/$agentId" params={{ workspaceId, agentId }} className="underline">
      {words}
    </Link>
  )
}
