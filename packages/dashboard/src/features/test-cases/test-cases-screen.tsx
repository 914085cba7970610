import type { TestCase } from '@parley/contract/test-case'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ClipboardCheck, Copy, Ellipsis, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { type Engine, type EngineKind, engineBody, NO_ENGINE } from '../../parts/test-case/engine.ts'
import { EngineField } from '../../parts/test-case/engine-field.tsx'
import { DeleteTestCaseDialog, useDuplicateTestCase } from './test-case-actions.tsx'
import { engineOf } from './test-case-draft.ts'
import { readTestCasesSearch, type TestCasesSearch } from './test-cases-search.ts'

export function TestCasesScreen() {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { type } = useSearch({ strict: false }) as TestCasesSearch
  const pages = usePages('listTestCases', { query: { ...(type !== undefined && { type }) } })
  const [isCreating, setIsCreating] = useState(false)
  const [deleted, setDeleted] = useState<TestCase | null>(null)
  const canCreate = can('createTestCase')
  useHotkeys(canCreate ? { n: () => setIsCreating(true) } : {})
  const filter = (chosen: EngineKind | ''): void =>
    void navigate({
      to: '/$workspaceId/test-cases',
      params: { workspaceId },
      search: readTestCasesSearch({ type: chosen }),
      replace: true,
    })

  const newButton = (
    <Button kind="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {t('New test case')}
    </Button>
  )
  return (
    <Page
      title={t('Test cases')}
      description={t('Conversations with a simulated user and their success criteria. Test cases cannot be run yet.')}
      actions={canCreate && newButton}
    >
      <SelectField<EngineKind | ''>
        className="max-w-60"
        label={t('Type')}
        value={type ?? ''}
        choices={[
          { value: '', label: t('All types') },
          { value: 'llm', label: t('Prompt') },
          { value: 'conversation-flow', label: t('Conversation flow') },
        ]}
        onChange={filter}
      />
      <DataList
        label={t('Test cases')}
        pages={pages}
        columns={useColumns(setDeleted)}
        rowKey={({ test_case_definition_id: id }) => id}
        onOpen={({ test_case_definition_id: testCaseId }) =>
          void navigate({ to: '/$workspaceId/test-cases/$testCaseId', params: { workspaceId, testCaseId } })
        }
        empty={<NoTestCase type={type} newButton={canCreate && newButton} onShowAll={() => filter('')} />}
      />
      {isCreating && <NewTestCaseDialog onClose={() => setIsCreating(false)} />}
      {deleted && <DeleteTestCaseDialog testCase={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

interface NoTestCaseProps {
  readonly type: EngineKind | undefined
  readonly newButton: ReactNode
  readonly onShowAll: () => void
}

function NoTestCase({ type, newButton, onShowAll }: NoTestCaseProps) {
  const t = useText()
  return type === undefined ? (
    <Empty icon={ClipboardCheck} title={t('No test cases yet')} action={newButton}>
      {t('A test case describes a user, their goal and the success criteria.')}
    </Empty>
  ) : (
    <Empty icon={ClipboardCheck} title={t('No matches')} action={<Button onClick={onShowAll}>{t('Show all')}</Button>}>
      {t('No test case has this type.')}
    </Empty>
  )
}

function useColumns(onDelete: (testCase: TestCase) => void): readonly Column<TestCase>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ test_case_definition_id: testCaseId, name }) => (
        <Link
          to="/$workspaceId/test-cases/$testCaseId"
          params={{ workspaceId, testCaseId }}
          className="line-clamp-2 font-medium break-words hover:underline"
        >
          {name}
        </Link>
      ),
    },
    {
      key: 'engine',
      title: t('Target'),
      from: 'md',
      width: 'w-[30%]',
      cell: (testCase) => <EngineLink of={testCase} />,
    },
    {
      key: 'type',
      title: t('Type'),
      from: 'sm',
      width: 'w-44',
      cell: ({ type }) => (type === 'llm' ? t('Prompt') : t('Conversation flow')),
    },
    { key: 'version', title: t('Version'), from: 'lg', width: 'w-24', align: 'end', cell: ({ version }) => version },
    {
      key: 'edited',
      title: t('Edited'),
      from: 'md',
      width: 'w-36',
      cell: ({ updated_at: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (testCase) => <TestCaseMenu testCase={testCase} onDelete={onDelete} />,
    },
  ]
}

function EngineLink({ of: testCase }: { readonly of: TestCase }) {
  const workspaceId = useWorkspaceId()
  const { kind, id } = engineOf(testCase)
  const { nameOf } = useChoices(kind === 'llm' ? 'llms' : 'flows')
  if (id === null) return null
  const target =
    kind === 'llm'
      ? ({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId: id } } as const)
      : ({ to: '/$workspaceId/flows/$flowId', params: { workspaceId, flowId: id } } as const)
  return (
    <Link {...target} className="line-clamp-2 break-words hover:underline" dir="auto">
      {nameOf(id)}
    </Link>
  )
}

function TestCaseMenu({
  testCase,
  onDelete,
}: {
  readonly testCase: TestCase
  readonly onDelete: (testCase: TestCase) => void
}) {
  const t = useText()
  const can = useCan()
  const duplicate = useDuplicateTestCase()
  const items: readonly MenuItem[] = [
    ...(can('createTestCase') ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => void duplicate(testCase) }] : []),
    ...(can('deleteTestCase')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => onDelete(testCase) }]
      : []),
  ]
  if (items.length === 0) return null
  return (
    <Menu
      items={items}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name: testCase.name })} />}
    />
  )
}

function NewTestCaseDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [name, setName] = useState('')
  const [engine, setEngine] = useState<Engine>(NO_ENGINE)
  const [ownId, setOwnId] = useState('')

  return (
    <OperationDialog
      operation="createTestCase"
      parts={{ body: { name, ...engineBody(engine), ...(ownId !== '' && { test_case_definition_id: ownId }) } }}
      refreshes={['listTestCases']}
      title={t('New test case')}
      submitLabel={t('Create test case')}
      canSubmit={name.trim() !== '' && engine.id !== null}
      success={t('Test case created')}
      onSuccess={({ test_case_definition_id: testCaseId }) =>
        void navigate({ to: '/$workspaceId/test-cases/$testCaseId', params: { workspaceId, testCaseId } })
      }
      onClose={onClose}
    >
      <TextField label={t('Name')} name="name" value={name} onChange={setName} maxLength={200} />
      <EngineField value={engine} onChange={setEngine} />
      <TextField
        label={t('Custom ID')}
        help={t('Up to 100 letters, digits, "_" or "-".')}
        name="test_case_definition_id"
        isOptional
        maxLength={100}
        spellCheck={false}
        autoComplete="off"
        value={ownId}
        onChange={setOwnId}
      />
    </OperationDialog>
  )
}
