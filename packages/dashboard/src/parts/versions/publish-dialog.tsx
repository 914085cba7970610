import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import type { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'

/** Release notes of a version. Empty fields are null. */
export interface VersionNotes {
  readonly title: string | null
  readonly description: string | null
}

export interface PublishDialogProps {
  /** The version to publish, or null for the latest. */
  readonly version: number | null
  readonly explanation: string
  readonly isBusy: boolean
  readonly problem: Problem | null
  readonly onPublish: (notes: VersionNotes) => void
  readonly onClose: () => void
}

/** Asks for a title and notes before publishing a version. */
export function PublishDialog({ version, explanation, isBusy, problem, onPublish, onClose }: PublishDialogProps) {
  const t = useText()
  const [title, setTitle] = useState('')
  const [description, setDescription] = useState('')
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={version === null ? t('Publish the latest version?') : t('Publish version {version}?', { version })}
      description={explanation}
      submitLabel={t('Publish')}
      isBusy={isBusy}
      problem={problem}
      onSubmit={() => onPublish({ title: title.trim() || null, description: description.trim() || null })}
    >
      <FieldProblems details={problem?.details ?? []}>
        <TextField label={t('Title')} name="title" isOptional maxLength={200} value={title} onChange={setTitle} />
        <TextAreaField
          label={t('What changed')}
          name="description"
          isOptional
          value={description}
          onChange={setDescription}
        />
      </FieldProblems>
    </FormDialog>
  )
}
