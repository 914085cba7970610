import { clsx } from 'clsx'
import { FileUp } from 'lucide-react'
import { type DragEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { message, useText } from '../../lib/language.ts'
import { type GivenFiles, givenFiles } from './given-files.ts'
import {
  MOST_FILE_BYTES,
  MOST_REQUEST_BYTES,
  MOST_REQUEST_FILES,
  type Refusal,
  type UploadPlan,
} from './plan-uploads.ts'

const MIB = 1024 * 1024

/** Why something that was given is not sent, for `t`. */
const REFUSALS: Readonly<Record<Refusal, string>> = {
  empty: message('“{name}” is not sent: it is empty.'),
  'too-large': message('“{name}” is not sent: it is larger than {size} MiB.'),
  folder: message('“{name}” is not sent: it is a folder. Open it and drop the files that are in it.'),
}

export interface DropZoneProps {
  readonly onFiles: (given: GivenFiles) => void
  /** Files that were given and are not sent. */
  readonly refused: UploadPlan<File>['refused']
  readonly kind?: 'primary' | 'plain'
}

/** Takes files: dropped here, or chosen. */
export function DropZone({ onFiles, refused, kind = 'plain' }: DropZoneProps) {
  const t = useText()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setIsOver(false)
    const given = givenFiles(event.dataTransfer.items)
    if (given.files.length + given.folders.length > 0) onFiles(given)
  }
  return (
    <div className="flex flex-col gap-2">
      <section
        aria-label={t('Drop files here')}
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={clsx(
          'flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-6 text-center',
          isOver ? 'border-brand-text bg-sunken' : 'border-line-strong',
        )}
      >
        <FileUp aria-hidden="true" className="size-7 text-muted" />
        <p className="text-balance">
          {t('Drop files here: PDF, Word, Excel, CSV, HTML, Markdown, text, JSON or e-mails.')}
        </p>
        <Button kind={kind} onClick={() => input.current?.click()}>
          {t('Choose files')}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          aria-label={t('Files')}
          hidden
          onChange={({ target }) => {
            onFiles({ files: [...(target.files ?? [])], folders: [] })
            // So that the same file can be chosen again.
            target.value = ''
          }}
        />
        <p className="max-w-xl text-xs text-balance text-muted">
          {t(
            'At most {file} MiB a file. The server takes {request} MiB and {count} files at once; more are sent one after the other.',
            { file: MOST_FILE_BYTES / MIB, request: MOST_REQUEST_BYTES / MIB, count: MOST_REQUEST_FILES },
          )}
        </p>
      </section>
      {refused.length > 0 && <Refused refused={refused} />}
    </div>
  )
}

function Refused({ refused }: Pick<DropZoneProps, 'refused'>) {
  const t = useText()
  return (
    <ul role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      {refused.map(({ name, why }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: files of one name are told twice.
        <li key={at} dir="auto" className="break-words">
          {t(REFUSALS[why], { name, size: MOST_FILE_BYTES / MIB })}
        </li>
      ))}
    </ul>
  )
}
