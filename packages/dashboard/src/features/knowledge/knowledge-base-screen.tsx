import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Ellipsis, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { BackLink } from '../../components/back-link.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Menu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemPanel, Skeleton } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { complain, tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { AskTab, FIRST_ASKING } from './ask-tab.tsx'
import type { BaseSearch } from './base-search.ts'
import { DeleteBaseDialog } from './delete-base-dialog.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { isWorking } from './source-facts.ts'
import { SourcesTab } from './sources-tab.tsx'
import { StatusBadge } from './status-badge.tsx'
import { useBase } from './use-base.ts'
import type { BaseAnswer } from './use-settings.ts'

/** One knowledge base: its sources, a place to ask it, its settings. */
export function KnowledgeBaseScreen() {
  const t = useText()
  const { knowledgeBaseId = '' } = useParams({ strict: false }) as { readonly knowledgeBaseId?: string }
  const answer = useBase(knowledgeBaseId)
  const isGone = answer.error?.code === 'not_found'
  if (answer.data !== undefined && !isGone) return <BasePage key={knowledgeBaseId} answer={answer.data} />
  return (
    <Page title={t('Knowledge base')} above={<BackToBases />}>
      {answer.error === null ? (
        <Skeleton lines={8} />
      ) : (
        <ProblemPanel problem={answer.error} onRetry={() => void answer.refetch()} />
      )}
    </Page>
  )
}

function BasePage({ answer }: { readonly answer: BaseAnswer }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { tab = 'sources' } = useSearch({ strict: false }) as BaseSearch
  const [asking, setAsking] = useState(FIRST_ASKING)
  const { value: base } = answer
  const { knowledgeBaseId } = base
  return (
    <Page
      title={base.name}
      above={<BackToBases />}
      beside={<StatusBadge status={base.status} />}
      description={base.description === '' ? undefined : <span dir="auto">{base.description}</span>}
      actions={<BaseActions base={base} />}
    >
      <Tabs
        label={t('Parts of the knowledge base')}
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
          { name: 'ask', label: t('Ask it'), content: <AskTab base={base} asking={asking} onChange={setAsking} /> },
          { name: 'settings', label: t('Settings'), content: <SettingsTab answer={answer} /> },
        ]}
      />
    </Page>
  )
}

function BackToBases() {
  const t = useText()
  return (
    <BackLink to="/$workspaceId/knowledge" params={{ workspaceId: useWorkspaceId() }}>
      {t('Knowledge bases')}
    </BackLink>
  )
}

function BaseActions({ base }: { readonly base: KnowledgeBase }) {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [isDeleting, setIsDeleting] = useState(false)
  const { knowledgeBaseId } = base
  const again = useWrite('refreshKnowledgeBase', { refreshes: ['getKnowledgeBase', 'listKnowledgeSources'] })
  const readAll = (): void =>
    again.mutate(
      { path: { knowledgeBaseId }, body: {} },
      {
        onSuccess: () => tell(t('Pages, and what could not be read, are read again.')),
        onError: ({ message }) => complain(message),
      },
    )
  return (
    <>
      {may('refreshKnowledgeBase') && base.sourceCount > 0 && (
        <Button icon={RotateCw} busy={again.isPending} disabled={isWorking(base.status)} onClick={readAll}>
          {t('Read all again')}
        </Button>
      )}
      {may('deleteKnowledgeBase') && (
        <Menu
          items={[{ label: t('Delete …'), icon: Trash2, kind: 'danger', onSelect: () => setIsDeleting(true) }]}
          trigger={<IconButton icon={Ellipsis} label={t('Further actions')} />}
        />
      )}
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
