import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { ErrorDetail } from '@parley/contract/errors'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowRight, TriangleAlert } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { ConflictDialog } from '../../components/editing/conflict-dialog.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { Page } from '../../components/page.tsx'
import { RecordScreen } from '../../components/record-screen.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { useResponse } from '../../lib/api/hooks.ts'
import type { ApiResponse } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { BackToEngines, EngineActions } from '../../parts/engine/engine-actions.tsx'
import { flowApi } from '../../parts/engine/engine-api.ts'
import { EngineState, UsedBy } from '../../parts/engine/engine-state.tsx'
import { TabLabel } from '../../parts/engine/tab-label.tsx'
import { TestColumn } from '../../parts/test-panel/test-column.tsx'
import { type FlowProblem, FlowProblems, useFlowValidation } from './flow-check.tsx'
import { type FlowDocument, formatDocument, toDocument, useFieldLabel } from './flow-document.ts'
import { FlowJson, type JsonTarget } from './flow-json.tsx'
import { FlowNodes } from './flow-nodes.tsx'
import { findWarningPath, listGraphs } from './flow-outline.ts'
import type { FlowSearch, FlowTab } from './flow-search.ts'
import { FlowSettings } from './flow-settings.tsx'
import { FlowTest } from './flow-test.tsx'
import { type FlowEditorState, useFlowEditor } from './use-flow-editor.ts'

export function FlowScreen() {
  const t = useText()
  const { flowId = '' } = useParams({ strict: false })
  const flow = useResponse('getConversationFlow', { path: { conversationFlowId: flowId } })
  return (
    <RecordScreen title={t('Conversation flow')} backLink={<BackToEngines api={flowApi} />} query={flow}>
      {(response) => <FlowEditor key={flowId} flowId={flowId} response={response} />}
    </RecordScreen>
  )
}

/** A stable reference, so that the editor does not recreate its markers. */
const EMPTY_LIST: readonly never[] = []

/** Renders the nodes, settings, and JSON of a document. */
function FlowEditor({
  flowId,
  response,
}: {
  readonly flowId: string
  readonly response: ApiResponse<ConversationFlow>
}) {
  const t = useText()
  const isAllowed = useCan()('updateConversationFlow')
  const editor = useFlowEditor(flowId, response)
  const { draft, saver, parsed, rejection } = editor
  const navigation = useFlowNavigation(flowId)
  const getFieldLabel = useFieldLabel()
  const document = 'document' in parsed ? parsed.document : null
  const validation = useFlowValidation(flowId, document)
  const rejectionErrors = rejection?.details ?? EMPTY_LIST
  const errors = validation === null || validation.errors.length === 0 ? rejectionErrors : validation.errors
  const problems = useMemo(
    () => listProblems(document ?? {}, { errors, warnings: validation?.warnings ?? EMPTY_LIST }),
    [document, errors, validation],
  )

  return (
    <Page
      title={readName(document) ?? t('Conversation flow')}
      backLink={<BackToEngines api={flowApi} />}
      titleExtra={
        <>
          <EngineState id={flowId} latest={response.value} />
          <CopyText text={flowId} />
        </>
      }
      description={<UsedBy id={flowId} />}
      actions={
        <>
          <EngineActions<ConversationFlow>
            api={flowApi}
            pickWritableFields={toDocument}
            format={(flow) => formatDocument(toDocument(flow))}
            id={flowId}
            name={response.value.display_name.trim() || flowId}
            save={editor.save}
          />
          {isAllowed && <DraftBar draft={draft} saver={saver} onSave={editor.save} />}
        </>
      }
    >
      {rejection !== null && <ProblemNote problem={rejection} />}
      <TestColumn
        panel={
          <FlowTest
            flowId={flowId}
            name={readName(document) ?? ''}
            latestVersion={response.value.version}
            text={draft.value.text}
            beforeStart={editor.save}
          />
        }
      >
        <div className="flex min-w-0 flex-col gap-5">
          <FlowTabs
            editor={editor}
            navigation={navigation}
            errors={errors}
            warnings={validation?.warnings ?? EMPTY_LIST}
            disabled={!isAllowed}
          />
          {document === null
            ? navigation.tab === 'json' && <InvalidJsonNotice onShow={navigation.showSyntaxError} />
            : (validation !== null || problems.length > 0) && (
                <FlowProblems problems={problems} failure={validation?.failure ?? null} onShow={navigation.showPath} />
              )}
        </div>
      </TestColumn>
      <ConflictDialog
        conflict={editor.conflict}
        edits={editor.conflictEdits}
        getFieldName={getFieldLabel}
        onResolve={editor.resolve}
        onPostpone={saver.postpone}
      />
    </Page>
  )
}

function readName(document: FlowDocument | null): string | null {
  const name = document?.['display_name']
  return typeof name === 'string' && name.trim() !== '' ? name : null
}

interface FlowTabsProps {
  readonly editor: FlowEditorState
  readonly navigation: FlowNavigation
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly string[]
  readonly disabled: boolean
}

function FlowTabs({ editor: { draft, parsed, updateFields }, navigation, errors, warnings, disabled }: FlowTabsProps) {
  const t = useText()
  const document = 'document' in parsed ? parsed.document : null
  return (
    <Tabs<FlowTab>
      label={t('Flow')}
      value={navigation.tab}
      onChange={navigation.openTab}
      tabs={[
        {
          name: 'nodes',
          label: t('Nodes'),
          content: renderWithDocument(document, navigation.showSyntaxError, (flowDocument) => (
            <FlowNodes graphs={listGraphs(flowDocument)} warnings={warnings} onShow={navigation.showPath} />
          )),
        },
        {
          name: 'settings',
          label: t('Settings'),
          content: renderWithDocument(document, navigation.showSyntaxError, (flowDocument) => (
            <FlowSettings
              document={flowDocument}
              onChange={updateFields}
              nodes={listGraphs(flowDocument)[0]?.nodes ?? []}
              details={errors}
              disabled={disabled}
            />
          )),
        },
        {
          name: 'json',
          label: <TabLabel label="JSON" count={document === null ? 1 : errors.length} />,
          content: (
            <FlowJson
              text={draft.value.text}
              onChange={(text) => draft.set({ text })}
              errors={errors}
              target={navigation.target}
              disabled={disabled}
            />
          ),
        },
      ]}
    />
  )
}

function renderWithDocument(
  document: FlowDocument | null,
  onShowError: () => void,
  renderContent: (document: FlowDocument) => ReactNode,
) {
  return document === null ? <InvalidJsonNotice onShow={onShowError} /> : renderContent(document)
}

interface FlowNavigation {
  readonly tab: FlowTab
  readonly target: JsonTarget | null
  openTab(name: FlowTab): void
  showPath(path: string): void
  showSyntaxError(): void
}

function useFlowNavigation(flowId: string): FlowNavigation {
  const { tab = 'nodes', at } = useSearch({ strict: false }) as FlowSearch
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [target, setTarget] = useState<JsonTarget | null>(at === undefined ? null : { path: at, revision: 0 })
  const updateSearch = (search: FlowSearch): void =>
    void navigate({
      to: '/$workspaceId/flows/$flowId',
      params: { workspaceId, flowId },
      search,
      replace: search.tab === tab,
      resetScroll: false,
    })
  const showInJson = (path: string | null): void => {
    setTarget((previous) => ({ path, revision: (previous?.revision ?? 0) + 1 }))
    updateSearch({ tab: 'json', ...(path !== null && path !== '' && { at: path }) })
  }
  return {
    tab,
    target,
    openTab(name: FlowTab): void {
      setTarget(null)
      updateSearch(name === 'nodes' ? {} : { tab: name })
    },
    showPath: (path: string): void => showInJson(path),
    showSyntaxError: (): void => showInJson(null),
  }
}

/** Lists unique errors and warnings with their paths. */
function listProblems(
  document: FlowDocument,
  { errors, warnings }: { readonly errors: readonly ErrorDetail[]; readonly warnings: readonly string[] },
): FlowProblem[] {
  const problems: FlowProblem[] = [
    ...errors.map(({ path, message }) => ({ kind: 'error' as const, path, text: message })),
    ...warnings.map((text) => ({ kind: 'warning' as const, path: findWarningPath(document, text), text })),
  ]
  const uniqueProblems = new Map(
    problems.map((problem) => [`${problem.kind} ${problem.path} ${problem.text}`, problem]),
  )
  return [...uniqueProblems.values()]
}

function InvalidJsonNotice({ onShow }: { readonly onShow: () => void }) {
  const t = useText()
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-bad-soft px-3 py-2.5 text-bad"
    >
      <TriangleAlert aria-hidden="true" className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 basis-60">{t('The JSON is invalid: check commas, quotes and brackets.')}</p>
      <Button icon={ArrowRight} onClick={onShow} className="text-ink">
        {t('Show in JSON')}
      </Button>
    </div>
  )
}
