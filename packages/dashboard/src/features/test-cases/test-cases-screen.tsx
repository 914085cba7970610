import type { TestCase } from '@parley/contract/test-case'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ClipboardCheck, Copy, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { ListScreen, RowLink, useRowActions } from '../../components/list-screen.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { type Engine, type EngineKind, NO_ENGINE, toEngineBody } from '../../parts/test-case/engine.ts'
import { EngineField } from '../../parts/test-case/engine-field.tsx'
import { DeleteTestCaseDialog, useDuplicateTestCase } from './test-case-actions.tsx'
import { toEngine } from './test-case-draft.ts'
import { readTestCasesSearch, type TestCasesSearch } from './test-cases-search.ts'

export function TestCasesScreen() {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { type } = useSearch({ strict: false }) as TestCasesSearch
  const pages = usePages('listTestCases', { query: { ...(type !== undefined && { type }) } })
  const setFilter = (selectedType: EngineKind | ''): void =>
    void navigate({
      to: '/$workspaceId/test-cases',
      params: { workspaceId },
      search: readTestCasesSearch({ type: selectedType }),
      replace: true,
    })
  const duplicate = useDuplicateTestCase()
  const rowActions = useRowActions<TestCase>(
    ({ name }) => name,
    [
      {
        label: t('Duplicate'),
        icon: Copy,
        operation: 'createTestCase',
        onSelect: (testCase) => void duplicate(testCase),
      },
      {
        label: t('Delete…'),
        icon: Trash2,
        kind: 'danger',
        operation: 'deleteTestCase',
        dialog: (testCase, onClose) => <DeleteTestCaseDialog testCase={testCase} onClose={onClose} />,
      },
    ],
  )
  return (
    <ListScreen
      title={t('Test cases')}
      description={t('Conversations with a simulated user and their success criteria. Test cases cannot be run yet.')}
      createAction={{
        label: t('New test case'),
        isAllowed: can('createTestCase'),
        dialog: (onClose) => <NewTestCaseDialog onClose={onClose} />,
      }}
      filters={<TypeFilter value={type} onChange={setFilter} />}
      pages={pages}
      columns={useColumns()}
      rowActions={rowActions}
      getRowKey={({ test_case_definition_id: id }) => id}
      onOpen={({ test_case_definition_id: testCaseId }) =>
        void navigate({ to: '/$workspaceId/test-cases/$testCaseId', params: { workspaceId, testCaseId } })
      }
      emptyState={
        type === undefined
          ? {
              icon: ClipboardCheck,
              title: t('No test cases yet'),
              children: t('A test case describes a user, their goal and the success criteria.'),
            }
          : {
              icon: ClipboardCheck,
              title: t('No matches'),
              children: t('No test case has this type.'),
              action: <Button onClick={() => setFilter('')}>{t('Show all')}</Button>,
            }
      }
    />
  )
}

interface TypeFilterProps {
  readonly value: EngineKind | undefined
  readonly onChange: (type: EngineKind | '') => void
}

function TypeFilter({ value, onChange }: TypeFilterProps) {
  const t = useText()
  return (
    <SelectField<EngineKind | ''>
      className="max-w-60"
      label={t('Type')}
      value={value ?? ''}
      choices={[
        { value: '', label: t('All types') },
        { value: 'llm', label: t('Prompt') },
        { value: 'conversation-flow', label: t('Conversation flow') },
      ]}
      onChange={onChange}
    />
  )
}

function useColumns(): readonly Column<TestCase>[] {
  const t = useText()
  const workspaceId = useWorkspaceId()
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ test_case_definition_id: testCaseId, name }) => (
        <RowLink to="/$workspaceId/test-cases/$testCaseId" params={{ workspaceId, testCaseId }}>
          {name}
        </RowLink>
      ),
    },
    {
      key: 'engine',
      title: t('Target'),
      visibleFrom: 'md',
      width: 'w-[30%]',
      cell: (testCase) => <EngineLink testCase={testCase} />,
    },
    {
      key: 'type',
      title: t('Type'),
      visibleFrom: 'sm',
      width: 'w-44',
      cell: ({ type }) => (type === 'llm' ? t('Prompt') : t('Conversation flow')),
    },
    {
      key: 'version',
      title: t('Version'),
      visibleFrom: 'lg',
      width: 'w-24',
      align: 'end',
      cell: ({ version }) => version,
    },
    buildTimeColumn(t('Edited'), ({ updated_at: updatedAt }) => updatedAt),
  ]
}

function EngineLink({ testCase }: { readonly testCase: TestCase }) {
  const workspaceId = useWorkspaceId()
  const { kind, id } = toEngine(testCase)
  const { getName } = useChoices(kind === 'llm' ? 'llms' : 'flows')
  if (id === null) return null
  const linkTarget =
    kind === 'llm'
      ? ({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId: id } } as const)
      : ({ to: '/$workspaceId/flows/$flowId', params: { workspaceId, flowId: id } } as const)
  return (
    <Link {...linkTarget} className="line-clamp-2 break-words hover:underline" dir="auto">
      {getName(id)}
    </Link>
  )
}

function NewTestCaseDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [name, setName] = useState('')
  const [engine, setEngine] = useState<Engine>(NO_ENGINE)
  const [customId, setCustomId] = useState('')

  return (
    <OperationDialog
      operation="createTestCase"
      params={{
        body: { name, ...toEngineBody(engine), ...(customId !== '' && { test_case_definition_id: customId }) },
      }}
      invalidates={['listTestCases']}
      title={t('New test case')}
      submitLabel={t('Create test case')}
      canSubmit={name.trim() !== '' && engine.id !== null}
      successMessage={t('Test case created')}
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
        value={customId}
        onChange={setCustomId}
      />
    </OperationDialog>
  )
}
