import { useEffect, useState } from 'react'
import { type Pair, PairsField } from '../../components/strings-field.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { CallPanel } from './call-panel.tsx'
import { ChatPanel } from './chat-panel.tsx'
import { addMissingPairs, usePrepareConversation } from './conversation.ts'
import { Collapsible } from './panel-parts.tsx'
import { useTestCall } from './use-test-call.ts'
import { useTestChat } from './use-test-chat.ts'

export interface TestPanelProps {
  readonly agentId: string
  /** Chat agents cannot make calls. */
  readonly kind: 'agent' | 'chat-agent'
  /** Saves pending edits. Returns false to cancel the conversation. */
  readonly onBeforeStart: () => Promise<boolean>
  /** Variables that need a value. */
  readonly variableNames?: readonly string[]
}

type Channel = 'chat' | 'talk'

/** Tests the latest version of an agent in a chat, a call, or both at the same time. */
export function TestPanel(props: TestPanelProps) {
  const t = useText()
  const can = useCan()
  const canTest = can('createChat') && can('createWebCall')
  return (
    <section aria-label={t('Test')} className="flex min-w-0 flex-col gap-4 p-1">
      {canTest ? (
        <TestChannels key={`${props.kind} ${props.agentId}`} {...props} />
      ) : (
        <p className="text-muted">{t('You need permission to edit this agent to test it.')}</p>
      )}
    </section>
  )
}

function TestChannels({ agentId, kind, onBeforeStart, variableNames = [] }: TestPanelProps) {
  const t = useText()
  const [channel, setChannel] = useState<Channel>('chat')
  const [variables, setVariables] = useTestVariables(variableNames)
  const prepare = usePrepareConversation({ agentId, kind, onBeforeStart: onBeforeStart, variables })
  const chat = useTestChat(prepare)
  const call = useTestCall(prepare)
  const tabs: readonly Tab<Channel>[] = [
    { name: 'chat', label: t('Chat'), content: <ChatPanel chat={chat} /> },
    ...(kind === 'agent' ? [{ name: 'talk' as const, label: t('Call'), content: <CallPanel call={call} /> }] : []),
  ]
  return (
    <>
      <Collapsible
        title={variables.length === 0 ? t('Variables') : t('Variables ({count})', { count: variables.length })}
      >
        <PairsField
          label={t('Test values')}
          help={t('Applied when the next conversation starts. Leave empty for the default.')}
          addLabel={t('Add variable')}
          value={variables}
          onChange={setVariables}
        />
      </Collapsible>
      <Tabs label={t('Test channel')} tabs={tabs} value={channel} onChange={setChannel} />
    </>
  )
}

/** Returns the test values of variables. Adds a value for each new variable in the prompt. */
function useTestVariables(names: readonly string[]): readonly [readonly Pair[], (pairs: readonly Pair[]) => void] {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => addMissingPairs([], names))
  const [knownNames, setKnownNames] = useState<readonly string[]>(names)
  const newNames = names.filter((name) => !knownNames.includes(name))
  const addedNames = newNames.join('\n')
  useEffect(() => {
    if (addedNames === '') return
    const names = addedNames.split('\n')
    setKnownNames((current) => [...current, ...names])
    setPairs((current) => addMissingPairs(current, names))
  }, [addedNames])
  return [pairs, setPairs]
}
