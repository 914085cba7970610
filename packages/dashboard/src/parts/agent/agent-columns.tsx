import type { EngineKind } from '@parley/contract/response-engine'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import type { Column } from '../../components/data-list.tsx'
import { Ago } from '../../components/moment.tsx'
import { message, useText } from '../../lib/language.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'
import { AgentMenu } from './agent-menu.tsx'
import { engineKindOf } from './engine.ts'

const ENGINE_WORDS: Readonly<Record<EngineKind, string>> = {
  llm: message('Prompt'),
  'conversation-flow': message('Conversation flow'),
  'custom-llm': message('Own server'),
}

/** The columns that lists of agents of every kind have. */
export function useAgentColumns<Value extends AnyAgent>({
  api,
  link,
}: {
  readonly api: AgentApi<Value>
  /** The name, leading to the agent. */
  readonly link: (agent: Value) => ReactNode
}): Readonly<Record<'name' | 'engine' | 'language' | 'version' | 'edited' | 'actions', Column<Value>>> {
  const t = useText()
  return {
    name: { key: 'name', title: t('Name'), cell: link },
    engine: {
      key: 'engine',
      title: t('Answers with'),
      from: 'xl',
      width: 'w-40',
      cell: ({ response_engine: engine }) => t(ENGINE_WORDS[engineKindOf(engine.type)]),
    },
    language: { key: 'language', title: t('Language'), from: '2xl', width: 'w-24', cell: ({ language }) => language },
    version: {
      key: 'version',
      title: t('Version'),
      from: 'sm',
      width: 'w-40',
      cell: ({ version, is_published: isPublished }) => (
        <span className="flex items-center gap-2 tabular-nums">
          {version}
          {isPublished ? <Badge tone="good">{t('Published')}</Badge> : <Badge>{t('Draft')}</Badge>}
        </span>
      ),
    },
    edited: {
      key: 'edited',
      title: t('Edited'),
      from: 'md',
      width: 'w-32',
      cell: ({ updated_at: at }) => <Ago at={at} />,
    },
    actions: {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (agent) => <AgentMenu api={api} agent={agent} />,
    },
  }
}
