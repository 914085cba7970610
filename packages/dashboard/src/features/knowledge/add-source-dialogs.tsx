import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { ADDRESS_BEGINNING } from './source-facts.ts'
import { EMPTY_TEXT, TextFields, textsToSend } from './texts-field.tsx'

interface AddDialogProps {
  readonly knowledgeBaseId: string
  readonly onClose: () => void
}

/** Adds sources, and tells it. */
function useAdd({ knowledgeBaseId, onClose }: AddDialogProps) {
  const t = useText()
  const add = useWrite('addKnowledgeSources', {
    refreshes: ['getKnowledgeBase', 'listKnowledgeSources', 'listKnowledgeBases'],
  })
  return {
    add,
    send: (sources: readonly { url?: string; title?: string; text?: string }[]): void =>
      add.mutate(
        { path: { knowledgeBaseId }, body: { sources: [...sources] } },
        {
          onSuccess: () => {
            tell(t('{count, plural, one {# source is added.} other {# sources are added.}}', { count: sources.length }))
            onClose()
          },
        },
      ),
  }
}

/** Adds single pages. */
export function AddPagesDialog(props: AddDialogProps) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { add, send } = useAdd(props)
  const [urls, setUrls] = useState<readonly string[]>([])
  const pages = urls.map((url) => url.trim()).filter((url) => url !== '')
  return (
    <FormDialog
      open
      onOpenChange={props.onClose}
      title={t('Add pages')}
      submitLabel={t('Add pages')}
      isBusy={add.isPending}
      canSubmit={pages.length > 0}
      problem={add.error}
      onSubmit={() => send(pages.map((url) => ({ url })))}
    >
      <FieldProblems details={add.error?.details ?? []}>
        <LinesField
          label={t('Addresses')}
          help={t('One in a line. Each address is read as one page; its links are not followed.')}
          name="sources"
          placeholder={ADDRESS_BEGINNING}
          value={urls}
          onChange={setUrls}
        />
      </FieldProblems>
      <p className="text-muted">
        {t('To read a whole site, name it in the settings:')}{' '}
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
    </FormDialog>
  )
}

/** Adds a text. */
export function AddTextDialog(props: AddDialogProps) {
  const t = useText()
  const { add, send } = useAdd(props)
  const [text, setText] = useState(EMPTY_TEXT)
  const texts = textsToSend([text])
  return (
    <FormDialog
      open
      size="wide"
      onOpenChange={props.onClose}
      title={t('Add a text')}
      submitLabel={t('Add text')}
      isBusy={add.isPending}
      canSubmit={texts.length > 0}
      problem={add.error}
      onSubmit={() => send(texts)}
    >
      <FieldProblems details={add.error?.details ?? []}>
        <TextFields value={text} onChange={setText} name="sources[0]" />
      </FieldProblems>
    </FormDialog>
  )
}
