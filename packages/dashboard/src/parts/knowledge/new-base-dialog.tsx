import { X } from 'lucide-react'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { type TextSource, TextsField, toTexts, toUrls } from './add-sources.tsx'
import { type FileSelection, planUploads, type UploadPlan } from './plan-uploads.ts'
import { URL_PLACEHOLDER } from './source-info.ts'
import { DropZone } from './upload-panel.tsx'
import { useSendFiles } from './upload-queue.ts'

interface NewBaseDialogProps {
  readonly onClose: () => void
  readonly onCreated: (knowledgeBaseId: string) => void
}

/** Creates a knowledge base with its first sources. */
export function NewBaseDialog({ onClose, onCreated }: NewBaseDialogProps) {
  const t = useText()
  const sendFiles = useSendFiles()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [urls, setUrls] = useState<readonly string[]>([])
  const [texts, setTexts] = useState<readonly TextSource[]>([])
  const [files, setFiles] = useState<readonly File[]>([])
  return (
    <OperationDialog
      operation="createKnowledgeBase"
      params={{ body: { name, description, sources: [...toUrls(urls), ...toTexts(texts)] } }}
      invalidates={['listKnowledgeBases']}
      size="wide"
      title={t('New knowledge base')}
      submitLabel={t('Create knowledge base')}
      canSubmit={name.trim() !== ''}
      successMessage={t('Knowledge base created')}
      onClose={onClose}
      onSuccess={({ knowledgeBaseId }) => {
        sendFiles(knowledgeBaseId, { files, folders: [] })
        onCreated(knowledgeBaseId)
      }}
    >
      <TextField label={t('Name')} name="name" maxLength={39} value={name} onChange={setName} />
      <TextAreaField
        label={t('Description')}
        help={t('What the knowledge base contains.')}
        name="description"
        isOptional
        rows={2}
        value={description}
        onChange={setDescription}
      />
      <FilesField files={files} onChange={setFiles} />
      <LinesField
        label={t('Pages')}
        help={t('One URL per line. Add whole sites in the settings afterward.')}
        name="sources"
        isOptional
        placeholder={URL_PLACEHOLDER}
        value={urls}
        onChange={setUrls}
      />
      <TextsField value={texts} onChange={setTexts} />
    </OperationDialog>
  )
}

interface FilesFieldProps {
  readonly files: readonly File[]
  readonly onChange: Dispatch<SetStateAction<readonly File[]>>
}

function FilesField({ files, onChange }: FilesFieldProps) {
  const [rejected, setRejected] = useState<UploadPlan<File>['rejected']>([])
  function addFiles(selection: FileSelection): void {
    const plan = planUploads(selection)
    setRejected(plan.rejected)
    onChange((currentFiles) => [...currentFiles, ...plan.batches.flat()])
  }
  return (
    <>
      <DropZone onFiles={addFiles} rejected={rejected} />
      <SelectedFiles
        files={files}
        onRemove={(removedIndex) => onChange(files.filter((_file, index) => index !== removedIndex))}
      />
    </>
  )
}

interface SelectedFilesProps {
  readonly files: readonly File[]
  readonly onRemove: (index: number) => void
}

function SelectedFiles({ files, onRemove }: SelectedFilesProps) {
  const t = useText()
  const format = useFormatter()
  if (files.length === 0) return null
  return (
    <ul
      aria-label={t('Selected files')}
      className="flex max-h-48 flex-col overflow-y-auto rounded-md border border-line"
    >
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: file names may repeat.
        <li key={index} className="flex items-center gap-3 border-t border-line ps-3 first:border-t-0">
          <span className="min-w-0 flex-1 truncate" dir="auto" title={file.name}>
            {file.name}
          </span>
          <span className="shrink-0 text-muted tabular-nums">{format.bytes(file.size)}</span>
          <IconButton icon={X} label={t('Remove {name}', { name: file.name })} onClick={() => onRemove(index)} />
        </li>
      ))}
    </ul>
  )
}
