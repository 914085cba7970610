import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { DropZone } from './drop-zone.tsx'
import type { GivenFiles } from './given-files.ts'
import { planUploads, type UploadPlan } from './plan-uploads.ts'
import { ADDRESS_BEGINNING } from './source-facts.ts'
import { type NewText, TextsField, textsToSend } from './texts-field.tsx'
import { useSendFiles } from './use-uploads.ts'

/** Makes a knowledge base, with its first sources if there are any, and opens it. */
export function NewBaseDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const sendFiles = useSendFiles()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [urls, setUrls] = useState<readonly string[]>([])
  const [texts, setTexts] = useState<readonly NewText[]>([])
  const [files, setFiles] = useState<readonly File[]>([])
  const create = useWrite('createKnowledgeBase', { refreshes: ['listKnowledgeBases'] })

  function submit(): void {
    const pages = urls.map((url) => url.trim()).filter((url) => url !== '')
    const sources = [...pages.map((url) => ({ url })), ...textsToSend(texts)]
    const onSuccess: Parameters<typeof create.mutate>[1] = {
      onSuccess: ({ value: { knowledgeBaseId } }) => {
        tell(t('The knowledge base is created.'))
        sendFiles(knowledgeBaseId, { files, folders: [] })
        onClose()
        void navigate({ to: '/$workspaceId/knowledge/$knowledgeBaseId', params: { workspaceId, knowledgeBaseId } })
      },
    }
    create.mutate({ body: { name, description, sources } }, onSuccess)
  }

  return (
    <FormDialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t('New knowledge base')}
      submitLabel={t('Create knowledge base')}
      isBusy={create.isPending}
      canSubmit={name.trim() !== ''}
      problem={create.error}
      onSubmit={submit}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField label={t('Name')} name="name" maxLength={39} value={name} onChange={setName} />
        <TextAreaField
          label={t('Description')}
          help={t('What it is for.')}
          name="description"
          isOptional
          rows={2}
          value={description}
          onChange={setDescription}
        />
        <FilesToSend files={files} onChange={setFiles} />
        <PagesField value={urls} onChange={setUrls} />
        <TextsField value={texts} onChange={setTexts} />
      </FieldProblems>
    </FormDialog>
  )
}

interface PagesFieldProps {
  readonly value: readonly string[]
  readonly onChange: (urls: string[]) => void
}

function PagesField({ value, onChange }: PagesFieldProps) {
  const t = useText()
  return (
    <LinesField
      label={t('Pages')}
      help={t('Addresses, one in a line. Whole sites are followed in the settings afterwards.')}
      name="sources"
      isOptional
      placeholder={ADDRESS_BEGINNING}
      value={value}
      onChange={onChange}
    />
  )
}

interface FilesToSendProps {
  readonly files: readonly File[]
  readonly onChange: Dispatch<SetStateAction<readonly File[]>>
}

function FilesToSend({ files, onChange }: FilesToSendProps) {
  const [refused, setRefused] = useState<UploadPlan<File>['refused']>([])
  function take(added: GivenFiles): void {
    const plan = planUploads(added)
    setRefused(plan.refused)
    onChange((before) => [...before, ...plan.batches.flat()])
  }
  return (
    <>
      <DropZone onFiles={take} refused={refused} />
      <ChosenFiles files={files} onRemove={(at) => onChange(files.filter((_file, index) => index !== at))} />
    </>
  )
}

interface ChosenFilesProps {
  readonly files: readonly File[]
  readonly onRemove: (at: number) => void
}

function ChosenFiles({ files, onRemove }: ChosenFilesProps) {
  const t = useText()
  const formats = useFormats()
  if (files.length === 0) return null
  return (
    <ul aria-label={t('Chosen files')} className="flex max-h-48 flex-col overflow-y-auto rounded-md border border-line">
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name.
        <li key={at} className="flex items-center gap-3 border-t border-line ps-3 first:border-t-0">
          <span className="min-w-0 flex-1 truncate" dir="auto" title={file.name}>
            {file.name}
          </span>
          <span className="shrink-0 text-muted tabular-nums">{formats.bytes(file.size)}</span>
          <IconButton icon={X} label={t('Leave {name} out', { name: file.name })} onClick={() => onRemove(at)} />
        </li>
      ))}
    </ul>
  )
}
