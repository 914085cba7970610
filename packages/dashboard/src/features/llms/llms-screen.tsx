import type { LlmSummary } from '@parley/contract/llm'
import { Link, useNavigate } from '@tanstack/react-router'
import { Braces, Copy, Ellipsis, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { usePages, useWrite } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { llmApi } from '../../parts/engine/engine-api.ts'
import { DeleteEngineDialog } from '../../parts/engine/engine-dialogs.tsx'
import { useUsersColumn } from '../../parts/engine/engine-state.tsx'
import { useDuplicateLlm } from './duplicate-llm.ts'

const nameOf = ({ llm_id: llmId, display_name: name }: LlmSummary): string => (name.trim() === '' ? llmId : name)

/** All prompts of the workspace, newest first. */
export function LlmsScreen() {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const mayCreate = useMay()('createLlm')
  const [isCreating, setIsCreating] = useState(false)
  const [deleted, setDeleted] = useState<LlmSummary | null>(null)
  const columns = useColumns(setDeleted)
  useHotkeys(mayCreate ? { n: () => setIsCreating(true) } : {})

  const newButton = mayCreate && (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New prompt')}
    </Button>
  )
  return (
    <Page
      title={t('Prompts')}
      description={t('Instructions, model and tools that agents answer with. Agents can share a prompt.')}
      actions={newButton}
    >
      <DataList
        label={t('Prompts')}
        pages={usePages('listLlms', {})}
        columns={columns}
        rowKey={({ llm_id: llmId }) => llmId}
        onOpen={({ llm_id: llmId }) =>
          void navigate({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId } })
        }
        empty={
          <Empty icon={Braces} title={t('No prompts yet')} action={newButton}>
            {t('A prompt holds the instructions, the model and the tools of an agent.')}
          </Empty>
        }
      />
      {isCreating && <NewLlmDialog onClose={() => setIsCreating(false)} />}
      {deleted && (
        <DeleteEngineDialog api={llmApi} id={deleted.llm_id} name={nameOf(deleted)} onClose={() => setDeleted(null)} />
      )}
    </Page>
  )
}

function useColumns(onDelete: (llm: LlmSummary) => void): readonly Column<LlmSummary>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const users = useUsersColumn<LlmSummary>(({ llm_id: llmId }) => llmId)
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: (llm) => (
        <Link
          to="/$workspaceId/llms/$llmId"
          params={{ workspaceId, llmId: llm.llm_id }}
          className="line-clamp-2 font-medium hover:underline"
        >
          {nameOf(llm)}
        </Link>
      ),
    },
    ...users,
    { key: 'version', title: t('Version'), from: 'sm', width: 'w-24', align: 'end', cell: ({ version }) => version },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (llm) => <LlmMenu llm={llm} onDelete={onDelete} />,
    },
  ]
}

interface LlmMenuProps {
  readonly llm: LlmSummary
  readonly onDelete: (llm: LlmSummary) => void
}

function LlmMenu({ llm, onDelete }: LlmMenuProps) {
  const t = useText()
  const may = useMay()
  const duplicate = useDuplicateLlm()
  const items: readonly MenuItem[] = [
    ...(may('createLlm') ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => void duplicate(llm.llm_id) }] : []),
    ...(may('deleteLlm')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => onDelete(llm) }]
      : []),
  ]
  if (items.length === 0) return null
  return (
    <Menu
      items={items}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: nameOf(llm) })} />}
    />
  )
}

function NewLlmDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [name, setName] = useState('')
  const [prompt, setPrompt] = useState('')
  const create = useWrite('createLlm', { refreshes: ['listLlms'] })

  async function submit(): Promise<void> {
    const { value } = await create.mutateAsync({ body: { display_name: name, general_prompt: prompt } })
    tellWithWarnings(t('Prompt created'), value.warnings)
    onClose()
    await navigate({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId: value.llm_id } })
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New prompt')}
      submitLabel={t('Create')}
      isBusy={create.isPending}
      canSubmit={name.trim() !== ''}
      problem={create.error}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField label={t('Name')} name="display_name" value={name} onChange={setName} maxLength={200} />
        <TextAreaField
          label={t('Instructions')}
          help={t('You can also write them later.')}
          name="general_prompt"
          isOptional
          rows={6}
          value={prompt}
          onChange={setPrompt}
        />
      </FieldProblems>
    </FormDialog>
  )
}
