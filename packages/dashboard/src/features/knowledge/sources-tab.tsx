import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { FileText, Link2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { AddPagesDialog, AddTextDialog } from '../../parts/knowledge/add-sources.tsx'
import type { UploadPlan } from '../../parts/knowledge/plan-uploads.ts'
import { calculateProgress, isProcessing } from '../../parts/knowledge/source-info.ts'
import { DropZone, ProgressBar, UploadList } from '../../parts/knowledge/upload-panel.tsx'
import { useSendFiles, useUploads } from '../../parts/knowledge/upload-queue.ts'
import { SourceList } from './source-list.tsx'

export function SourcesTab({ base }: { readonly base: KnowledgeBase }) {
  const can = useCan()
  return (
    <div className="flex flex-col gap-5">
      {can('addKnowledgeSources') && <AddSources knowledgeBaseId={base.knowledgeBaseId} />}
      <Progress base={base} />
      <SourceList base={base} />
    </div>
  )
}

function AddSources({ knowledgeBaseId }: { readonly knowledgeBaseId: string }) {
  const t = useText()
  const sendFiles = useSendFiles()
  const batches = useUploads(knowledgeBaseId)
  const [rejectedFiles, setRejectedFiles] = useState<UploadPlan<File>['rejected']>([])
  const [openDialog, setOpenDialog] = useState<'pages' | 'text' | null>(null)
  const closeDialog = (): void => setOpenDialog(null)
  return (
    <Panel
      title={t('Add sources')}
      actions={
        <>
          <Button icon={Link2} onClick={() => setOpenDialog('pages')}>
            {t('Add pages')}
          </Button>
          <Button icon={FileText} onClick={() => setOpenDialog('text')}>
            {t('Add text')}
          </Button>
        </>
      }
    >
      <DropZone
        kind="primary"
        rejected={rejectedFiles}
        onFiles={(files) => setRejectedFiles(sendFiles(knowledgeBaseId, files))}
      />
      <UploadList batches={batches} />
      {openDialog === 'pages' && <AddPagesDialog knowledgeBaseId={knowledgeBaseId} onClose={closeDialog} />}
      {openDialog === 'text' && <AddTextDialog knowledgeBaseId={knowledgeBaseId} onClose={closeDialog} />}
    </Panel>
  )
}

/** Displays the progress while sources are processed. */
function Progress({ base }: { readonly base: KnowledgeBase }) {
  const t = useText()
  if (!isProcessing(base.status)) return null
  const { done, total } = calculateProgress(base)
  const progressText = t('{done} of {total, plural, one {# source} other {# sources}} processed', { done, total })
  return (
    <div className="flex flex-col gap-1.5">
      <p role="status">{progressText}</p>
      <ProgressBar label={t('Processing sources')} value={done} maximum={total} />
    </div>
  )
}
