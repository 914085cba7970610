import { Link } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { OperationDialog, type OperationDialogProps } from '../../components/operation-dialog.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import type { RequestParams } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { URL_PLACEHOLDER } from './source-info.ts'

interface AddSourcesDialogProps {
  readonly knowledgeBaseId: string
  readonly onClose: () => void
}

type Sources = NonNullable<RequestParams<'addKnowledgeSources'>['body']['sources']>

interface AddSourcesFormProps
  extends AddSourcesDialogProps,
    Pick<OperationDialogProps<'addKnowledgeSources'>, 'title' | 'size' | 'submitLabel' | 'children'> {
  readonly sources: Sources
}

function AddSourcesForm({ knowledgeBaseId, sources, ...form }: AddSourcesFormProps) {
  const t = useText()
  return (
    <OperationDialog
      operation="addKnowledgeSources"
      params={{ path: { knowledgeBaseId }, body: { sources } }}
      invalidates={['getKnowledgeBase', 'listKnowledgeSources', 'listKnowledgeBases']}
      canSubmit={sources.length > 0}
      successMessage={t('{count, plural, one {# source added} other {# sources added}}', { count: sources.length })}
      {...form}
    />
  )
}

export const toUrls = (lines: readonly string[]): { url: string }[] =>
  lines.map((line) => ({ url: line.trim() })).filter(({ url }) => url !== '')

export function AddPagesDialog(props: AddSourcesDialogProps) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const [urls, setUrls] = useState<readonly string[]>([])
  return (
    <AddSourcesForm {...props} title={t('Add pages')} submitLabel={t('Add pages')} sources={toUrls(urls)}>
      <LinesField
        label={t('URLs')}
        help={t('One per line. Links on the pages are not followed.')}
        name="sources"
        placeholder={URL_PLACEHOLDER}
        value={urls}
        onChange={setUrls}
      />
      <p className="text-muted">
        {t('To add a whole site, use the settings:')}{' '}
        <Link
          to="/$workspaceId/knowledge/$knowledgeBaseId"
          params={{ workspaceId, knowledgeBaseId: props.knowledgeBaseId }}
          search={{ tab: 'settings' }}
          onClick={props.onClose}
          className="text-brand-text underline"
        >
          {t('Sites')}
        </Link>
      </p>
    </AddSourcesForm>
  )
}

export function AddTextDialog(props: AddSourcesDialogProps) {
  const t = useText()
  const [text, setText] = useState(EMPTY_TEXT)
  return (
    <AddSourcesForm {...props} size="wide" title={t('Add text')} submitLabel={t('Add text')} sources={toTexts([text])}>
      <TextFields value={text} onChange={setText} name="sources[0]" />
    </AddSourcesForm>
  )
}

/** A text to add as a source. */
export interface TextSource {
  readonly title: string
  readonly text: string
}

const EMPTY_TEXT: TextSource = { title: '', text: '' }

/** Converts texts to request fields. Omits empty texts. */
export function toTexts(texts: readonly TextSource[]): { title: string; text: string }[] {
  return texts.filter(({ text }) => text.trim() !== '').map(({ title, text }) => ({ title: title.trim(), text }))
}

interface TextsFieldProps {
  readonly value: readonly TextSource[]
  readonly onChange: (texts: readonly TextSource[]) => void
}

export function TextsField({ value, onChange }: TextsFieldProps) {
  const t = useText()
  return (
    <div className="flex flex-col gap-4">
      {value.map((source, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: texts have no IDs.
          key={index}
          className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3"
        >
          <legend className="px-1 font-medium">{t('Text {number}', { number: index + 1 })}</legend>
          <TextFields
            value={source}
            onChange={(newText) => onChange(value.map((text, textIndex) => (textIndex === index ? newText : text)))}
          />
          <IconButton
            icon={Trash2}
            label={t('Remove text {number}', { number: index + 1 })}
            className="self-end"
            onClick={() => onChange(value.filter((_text, textIndex) => textIndex !== index))}
          />
        </fieldset>
      ))}
      <Button icon={Plus} className="w-fit" onClick={() => onChange([...value, EMPTY_TEXT])}>
        {t('Add text')}
      </Button>
    </div>
  )
}

interface TextFieldsProps {
  readonly value: TextSource
  readonly onChange: (text: TextSource) => void
  /** Name of the field in the request body. */
  readonly name?: string
}

function TextFields({ value, onChange, name }: TextFieldsProps) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('Title')}
        help={t('Cited as the source of answers.')}
        isOptional
        maxLength={200}
        {...(name !== undefined && { name: `${name}.title` })}
        value={value.title}
        onChange={(title) => onChange({ ...value, title })}
      />
      <TextAreaField
        label={t('Text')}
        help={t('Plain text or Markdown.')}
        rows={6}
        {...(name !== undefined && { name: `${name}.text` })}
        value={value.text}
        onChange={(text) => onChange({ ...value, text })}
      />
    </>
  )
}
