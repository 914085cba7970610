import { useEffect, useState } from 'react'
import { type Pair, PairsField } from '../../components/strings-field.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { CallPanel } from './call-panel.tsx'
import { ChatPanel } from './chat-panel.tsx'
import { useBeginning, withNames } from './conversation.ts'
import { Fold } from './fold.tsx'
import { useTestCall } from './use-test-call.ts'
import { useTestChat } from './use-test-chat.ts'

export interface TestPanelProps {
  readonly agentId: string
  /** A chat agent has no voice: only the chat is offered. */
  readonly kind: 'agent' | 'chat-agent'
  /** Saves what is edited before a conversation begins; false keeps it from beginning. */
  readonly beforeStart: () => Promise<boolean>
  /** Names of `{{variables}}` of the prompt, offered to be filled in. */
  readonly variableNames?: readonly string[]
}

type Way = 'chat' | 'talk'

/** Tries the newest version of an agent, in writing or by voice. What goes on in one tab goes on while the other is looked at. */
export function TestPanel(props: TestPanelProps) {
  const t = useText()
  const may = useMay()
  const mayTalk = may('createChat') && may('createWebCall')
  return (
    <section aria-label={t('Test')} className="flex min-w-0 flex-col gap-4 p-1">
      {mayTalk ? (
        <Conversations key={`${props.kind} ${props.agentId}`} {...props} />
      ) : (
        <p className="text-muted">{t('You may look at this agent, but not hold conversations with it.')}</p>
      )}
    </section>
  )
}

function Conversations({ agentId, kind, beforeStart, variableNames = [] }: TestPanelProps) {
  const t = useText()
  const [way, setWay] = useState<Way>('chat')
  const [variables, setVariables] = useVariables(variableNames)
  const begin = useBeginning({ agentId, kind, beforeStart, variables })
  const chat = useTestChat(begin)
  const call = useTestCall(begin)
  const tabs: readonly Tab<Way>[] = [
    { name: 'chat', label: t('Chat'), content: <ChatPanel chat={chat} /> },
    ...(kind === 'agent' ? [{ name: 'talk' as const, label: t('Talk'), content: <CallPanel call={call} /> }] : []),
  ]
  return (
    <>
      <Fold title={variables.length === 0 ? t('Variables') : t('Variables ({count})', { count: variables.length })}>
        <PairsField
          label={t('Values for this try')}
          help={t('They count from the next start on. What is left empty has its default.')}
          addLabel={t('Add a variable')}
          value={variables}
          onChange={setVariables}
        />
      </Fold>
      <Tabs label={t('Ways to try the agent')} tabs={tabs} value={way} onChange={setWay} />
    </>
  )
}

/** The variables as they are filled in; names that the prompt gets while one looks are added. */
function useVariables(names: readonly string[]): readonly [readonly Pair[], (pairs: readonly Pair[]) => void] {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => withNames([], names))
  const [offered, setOffered] = useState<readonly string[]>(names)
  const newNames = names.filter((name) => !offered.includes(name))
  const added = newNames.join('\n')
  useEffect(() => {
    if (added === '') return
    const further = added.split('\n')
    setOffered((current) => [...current, ...further])
    setPairs((current) => withNames(current, further))
  }, [added])
  return [pairs, setPairs]
}
