import type { Llm, LlmVersion } from '@parley/contract/llm'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ChevronLeft, RotateCcw, Upload } from 'lucide-react'
import { useState } from 'react'
import type { MenuItem } from '../../components/menu.tsx'
import { complain, tellWithWarnings } from '../../components/toasts.tsx'
import { inWorkspace, usePages, useRead, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import type { VersionsSearch } from '../../parts/versions/versions-search.ts'
import { VersionsView } from '../../parts/versions/versions-view.tsx'
import { useLlmFieldName } from './llm-field-names.ts'
import { PublishLlmDialog } from './publish-llm-dialog.tsx'

/** The versions of an LLM configuration. */
export function LlmVersionsScreen() {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { llmId = '' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as VersionsSearch
  const versions = usePages('listLlmVersions', { path: { llmId } })
  const name = useRead('getLlm', { path: { llmId } }).data?.display_name.trim()
  const restore = useRestore(llmId)
  const [published, setPublished] = useState<number | null>(null)
  const newest = versions.rows[0]?.version
  const readVersion = async (version: number, signal?: AbortSignal): Promise<Llm> => {
    const parts = inWorkspace('getLlm', { path: { llmId }, query: { version } }, workspaceId)
    return (await request('getLlm', parts, signal === undefined ? {} : { signal })).value
  }
  const actionsOf = ({ version, is_published: isPublished }: LlmVersion): readonly MenuItem[] => [
    ...(may('publishLlm') && !isPublished
      ? [{ label: t('Publish …'), icon: Upload, onSelect: () => setPublished(version) }]
      : []),
    ...(may('updateLlm') && version !== newest
      ? [
          {
            label: t('Go on from this version'),
            icon: RotateCcw,
            onSelect: () => void restore(() => readVersion(version)),
          },
        ]
      : []),
  ]
  return (
    <>
      <VersionsView
        title={name ? t('Versions of {name}', { name }) : t('Versions of the LLM configuration')}
        description={t('A version that was used or published never changes again. The newest one is edited.')}
        back={
          <Link
            to="/$workspaceId/llms/$llmId"
            params={{ workspaceId, llmId }}
            className="flex w-fit max-w-full items-center gap-1 text-muted hover:text-ink"
          >
            <ChevronLeft aria-hidden="true" className="size-4 shrink-0 rtl:rotate-180" />
            <span className="truncate">{name || llmId}</span>
          </Link>
        }
        versions={versions}
        read={readVersion}
        readKey={['getLlm', llmId]}
        nameOf={useLlmFieldName()}
        actions={actionsOf}
        search={search}
        onSearch={(changed) =>
          void navigate({
            to: '/$workspaceId/llms/$llmId/versions',
            params: { workspaceId, llmId },
            search: changed,
            replace: true,
            resetScroll: false,
          })
        }
      />
      {published !== null && <PublishLlmDialog llmId={llmId} version={published} onClose={() => setPublished(null)} />}
    </>
  )
}

/** Makes what an older version holds the newest again; every version in between stays. */
function useRestore(llmId: string) {
  const t = useText()
  const update = useWrite('updateLlm', { refreshes: ['getLlm', 'listLlms', 'listLlmVersions'] })
  return async (read: () => Promise<Llm>): Promise<void> => {
    try {
      const { version: old, ...fields } = await read()
      // Fields that only answers have are left out by the server; the version would name the one to edit.
      const { value } = await update.mutateAsync({ path: { llmId }, body: fields as never })
      tellWithWarnings(
        t('Version {version} now holds what version {old} does.', { version: value.version, old }),
        value.warnings,
      )
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
    }
  }
}
