import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { RotateCw, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { BackToList } from '../../components/back-link.tsx'
import { Button } from '../../components/button.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { RecordScreen } from '../../components/record-screen.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useAction } from '../../components/use-action.ts'
import { refresh, useResponse } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { buildListingKey, isProcessing, PROGRESS_POLL_MS } from '../../parts/knowledge/source-info.ts'
import { DeleteBaseDialog, StatusBadge } from './base-parts.tsx'
import type { BaseSearch } from './base-search.ts'
import { DEFAULT_QUERY, SearchTab } from './search-tab.tsx'
import { type BaseResponse, SettingsTab } from './settings-tab.tsx'
import { SourcesTab } from './sources-tab.tsx'

export function KnowledgeBaseScreen() {
  const t = useText()
  const { knowledgeBaseId = '' } = useParams({ strict: false }) as { readonly knowledgeBaseId?: string }
  const baseQuery = usePolledBase(knowledgeBaseId)
  const isDeleted = baseQuery.error?.code === 'not_found'
  const query = isDeleted ? { ...baseQuery, data: undefined } : baseQuery
  return (
    <RecordScreen title={t('Knowledge base')} backLink={<BackToBases />} query={query}>
      {(response) => <BasePage key={knowledgeBaseId} response={response} />}
    </RecordScreen>
  )
}

function BasePage({ response }: { readonly response: BaseResponse }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { tab = 'sources' } = useSearch({ strict: false }) as BaseSearch
  const [query, setQuery] = useState(DEFAULT_QUERY)
  const { value: base } = response
  const { knowledgeBaseId } = base
  return (
    <Page
      title={base.name}
      backLink={<BackToBases />}
      titleExtra={<StatusBadge status={base.status} />}
      description={base.description === '' ? undefined : <span dir="auto">{base.description}</span>}
      actions={<BaseActions base={base} />}
    >
      <Tabs
        label={t('Knowledge base')}
        value={tab}
        onChange={(name) =>
          void navigate({
            to: '/$workspaceId/knowledge/$knowledgeBaseId',
            params: { workspaceId, knowledgeBaseId },
            search: name === 'sources' ? {} : { tab: name },
            replace: true,
          })
        }
        tabs={[
          { name: 'sources', label: t('Sources'), content: <SourcesTab base={base} /> },
          {
            name: 'ask',
            label: t('Test search'),
            content: <SearchTab base={base} query={query} onChange={setQuery} />,
          },
          { name: 'settings', label: t('Settings'), content: <SettingsTab response={response} /> },
        ]}
      />
    </Page>
  )
}

function BackToBases() {
  const t = useText()
  return <BackToList to="/$workspaceId/knowledge">{t('Knowledge bases')}</BackToList>
}

function BaseActions({ base }: { readonly base: KnowledgeBase }) {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [isDeleting, setIsDeleting] = useState(false)
  const { knowledgeBaseId } = base
  const refreshAction = useAction('refreshKnowledgeBase', ['getKnowledgeBase', 'listKnowledgeSources'])
  const refreshAll = (): void =>
    refreshAction.run({ path: { knowledgeBaseId }, body: {} }, t('Refreshing pages and failed sources'))
  return (
    <>
      {can('refreshKnowledgeBase') && base.sourceCount > 0 && (
        <Button
          icon={RotateCw}
          busy={refreshAction.isRunning}
          disabled={isProcessing(base.status)}
          onClick={refreshAll}
        >
          {t('Refresh all')}
        </Button>
      )}
      <RowMenu
        items={[
          can('deleteKnowledgeBase') && {
            label: t('Delete…'),
            icon: Trash2,
            kind: 'danger',
            onSelect: () => setIsDeleting(true),
          },
        ]}
      />
      {isDeleting && (
        <DeleteBaseDialog
          base={base}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => void navigate({ to: '/$workspaceId/knowledge', params: { workspaceId } })}
        />
      )}
    </>
  )
}

/** Polls a knowledge base while sources are processed. */
function usePolledBase(knowledgeBaseId: string) {
  const client = useQueryClient()
  const [isPolling, setIsPolling] = useState(false)
  const baseQuery = useResponse(
    'getKnowledgeBase',
    { path: { knowledgeBaseId } },
    { refetchMs: isPolling ? PROGRESS_POLL_MS : false },
  )
  const base = baseQuery.data?.value
  const isProcessingSources = base !== undefined && isProcessing(base.status)
  if (isProcessingSources !== isPolling) setIsPolling(isProcessingSources)

  // The paged list is refetched only when rows are added or removed, or when processing ends.
  const listKey = base === undefined ? null : buildListingKey(base)
  const previousListKey = useRef(listKey)
  useEffect(() => {
    const previousKey = previousListKey.current
    previousListKey.current = listKey
    if (previousKey !== null && previousKey !== listKey)
      void refresh(client, ['listKnowledgeSources', 'listKnowledgeBases'])
  }, [listKey, client])
  return baseQuery
}
