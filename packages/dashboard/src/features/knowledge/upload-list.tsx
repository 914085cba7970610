import { RotateCw, X } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { ProgressBar } from './progress-bar.tsx'
import { cancelUpload, retryUpload, type UploadBatch } from './upload-queue.ts'

/** Files on their way to the server, with how far they have come. */
export function UploadList({ batches }: { readonly batches: readonly UploadBatch[] }) {
  const t = useText()
  if (batches.length === 0) return null
  return (
    <ul aria-label={t('Uploads')} className="flex flex-col gap-3">
      {batches.map((batch) => (
        <li key={batch.id} className="flex flex-col gap-2 rounded-md border border-line px-3 py-2">
          <UploadRow batch={batch} />
        </li>
      ))}
    </ul>
  )
}

function UploadRow({ batch }: { readonly batch: UploadBatch }) {
  const t = useText()
  const formats = useFormats()
  const { id, files, state, share, problem } = batch
  const sizeBytes = files.reduce((sum, { size }) => sum + size, 0)
  const name = files[0]?.name ?? ''
  const label =
    files.length === 1
      ? name
      : t('{name} and {count, plural, one {# other} other {# others}}', { name, count: files.length - 1 })
  return (
    <>
      <div className="flex items-center gap-3">
        <span className="min-w-0 flex-1 truncate" dir="auto" title={label}>
          {label}
        </span>
        <span className="shrink-0 text-muted tabular-nums">{formats.bytes(sizeBytes)}</span>
        <span className="w-28 shrink-0 text-end text-muted tabular-nums">
          {state === 'waiting' && t('Waiting')}
          {state === 'failed' && t('Not sent')}
          {state === 'sending' && (share < 1 ? formats.percent(share) : t('Being stored'))}
        </span>
        <IconButton icon={X} label={t('Cancel the upload of {name}', { name })} onClick={() => cancelUpload(id)} />
      </div>
      {state === 'sending' && <ProgressBar label={t('Upload of {name}', { name })} value={share} maximum={1} />}
      {problem && (
        <>
          <ProblemNote problem={problem} />
          <Button icon={RotateCw} className="w-fit" onClick={() => retryUpload(id)}>
            {t('Try again')}
          </Button>
        </>
      )}
    </>
  )
}
