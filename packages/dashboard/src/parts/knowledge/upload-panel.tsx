import { clsx } from 'clsx'
import { FileUp, RotateCw, X } from 'lucide-react'
import { type DragEvent, useRef, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useFormatter } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'
import {
  type FileSelection,
  MAX_FILE_BYTES,
  MAX_REQUEST_BYTES,
  MAX_REQUEST_FILES,
  type RejectReason,
  readDrop,
  type UploadPlan,
} from './plan-uploads.ts'
import { cancelUpload, retryUpload, type UploadBatch } from './upload-queue.ts'

const MIB = 1024 * 1024

/** Rejection reasons, as catalog messages. */
const REJECTION_MESSAGES: Readonly<Record<RejectReason, string>> = {
  empty: message('“{name}” is empty.'),
  'too-large': message('“{name}” is larger than {size} MiB.'),
  folder: message('“{name}” is a folder. Drop the files inside it instead.'),
}

export interface DropZoneProps {
  readonly onFiles: (selection: FileSelection) => void
  readonly rejected: UploadPlan<File>['rejected']
  readonly kind?: 'primary' | 'plain'
}

export function DropZone({ onFiles, rejected, kind = 'plain' }: DropZoneProps) {
  const t = useText()
  const input = useRef<HTMLInputElement>(null)
  const [isDragging, setIsDragging] = useState(false)
  const handleDrop = (event: DragEvent): void => {
    event.preventDefault()
    setIsDragging(false)
    const selection = readDrop(event.dataTransfer.items)
    if (selection.files.length + selection.folders.length > 0) onFiles(selection)
  }
  return (
    <div className="flex flex-col gap-2">
      <section
        aria-label={t('Drop files here')}
        onDragOver={(event) => {
          event.preventDefault()
          setIsDragging(true)
        }}
        onDragLeave={() => setIsDragging(false)}
        onDrop={handleDrop}
        className={clsx(
          'flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-6 text-center',
          isDragging ? 'border-brand-text bg-sunken' : 'border-line-strong',
        )}
      >
        <FileUp aria-hidden="true" className="size-7 text-muted" />
        <p className="text-balance">
          {t('Drop PDF, Word, Excel, CSV, HTML, Markdown, text, JSON or email files here.')}
        </p>
        <Button kind={kind} onClick={() => input.current?.click()}>
          {t('Select files')}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          aria-label={t('Files')}
          hidden
          onChange={({ target }) => {
            onFiles({ files: [...(target.files ?? [])], folders: [] })
            // Clears the input so that users can select the same file again.
            target.value = ''
          }}
        />
        <p className="max-w-xl text-xs text-balance text-muted">
          {t('Up to {file} MiB per file. Files are uploaded in batches of up to {count} files and {request} MiB.', {
            file: MAX_FILE_BYTES / MIB,
            request: MAX_REQUEST_BYTES / MIB,
            count: MAX_REQUEST_FILES,
          })}
        </p>
      </section>
      {rejected.length > 0 && <RejectedFiles rejected={rejected} />}
    </div>
  )
}

function RejectedFiles({ rejected }: Pick<DropZoneProps, 'rejected'>) {
  const t = useText()
  return (
    <ul role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      {rejected.map(({ name, reason }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: file names may repeat.
        <li key={index} dir="auto" className="break-words">
          {t(REJECTION_MESSAGES[reason], { name, size: MAX_FILE_BYTES / MIB })}
        </li>
      ))}
    </ul>
  )
}

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
  const format = useFormatter()
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
        <span className="shrink-0 text-muted tabular-nums">{format.bytes(sizeBytes)}</span>
        <span className="w-28 shrink-0 text-end text-muted tabular-nums">
          {state === 'waiting' && t('Waiting')}
          {state === 'failed' && t('Failed')}
          {state === 'sending' && (share < 1 ? format.percent(share) : t('Storing'))}
        </span>
        <IconButton icon={X} label={t('Cancel upload of {name}', { name })} onClick={() => cancelUpload(id)} />
      </div>
      {state === 'sending' && <ProgressBar label={t('Uploading {name}', { name })} value={share} maximum={1} />}
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

interface ProgressBarProps {
  readonly label: string
  readonly value: number
  readonly maximum: number
}

export function ProgressBar({ label, value, maximum }: ProgressBarProps) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={maximum}
      className="h-1.5 w-full appearance-none overflow-hidden rounded-full border-0 bg-sunken [&::-moz-progress-bar]:bg-brand-text [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-brand-text"
    />
  )
}
